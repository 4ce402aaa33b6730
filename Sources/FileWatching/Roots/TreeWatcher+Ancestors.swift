// The directories above containers: watched so that a container is noticed when it appears, is moved away or gives way
// to another.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import Metadata

extension TreeWatcher {
    /// An event above a container: it matters where it names the next directory on the way down, or the directory
    /// itself.
    func ancestorChanged(_ event: InotifyEvent, name: UnsafeRawBufferPointer, _ numbers: Set<UInt32>, _ origin: Origin)
    {
        if event.mask.contains(.ignored) {
            roots.ended(event.watch)
            for number in numbers { containers[number]?.above.watches[event.watch] = nil }
        }
        for number in numbers {
            guard let container = containers[number] else { continue }
            if name.isEmpty {
                let matters: InotifyMask = [.ignored, .deleteSelf, .moveSelf, .unmount]
                if !event.mask.isDisjoint(with: kernel.readsAccessLists ? matters.union(.attributes) : matters) {
                    suspect(number, position: origin.position)
                }
            } else if container.above.names.contains(where: { name.elementsEqual($0) }) {
                suspect(number, position: origin.position)
            }
        }
    }

    /// Watches the directories above a container, as far down as there are any: one that is missing is noticed when it
    /// appears, and one that is renamed when it goes. The way is gone as the kernel goes it, through each symlink, so
    /// that those are noticed too when they point elsewhere. Where a directory cannot be watched the container is
    /// looked for from time to time.
    func watchAncestors(of container: WatchedContainer, isMissing: Bool) {
        guard self.watches.budget.isWanted else { return }
        var walk = AncestorWalk(container.pathComponents)
        var watches: [Int32: InotifyMask] = [:]
        var isWhole = true
        var above: [FileAccess] = []
        var isAboveKnown = true
        var isAboveAsBefore = false
        var keepsWatches = false
        var isUnwatched = false
        container.above.hasWideWatches = false
        while let component = walk.next() {
            do throws(SystemError) {
                let (directory, isReadable) = try openAncestor(walk.path)
                defer { kernel.close(directory) }
                let target = readSymlink(component, in: directory)
                if !isReadable { isUnwatched = true }
                var holdsName = walk.isAtEnd
                if case .success(.none) = target {} else { holdsName = true }
                var mask: InotifyMask = isMissing ? .ancestorOfMissing : holdsName ? .ancestorOfName : .ancestor
                if kernel.readsAccessLists { mask.insert(.attributes) }
                do throws(SystemError) {
                    guard isReadable else { throw .noAccess }
                    let watch = try kernel.addWatch(on: directory, mask: mask)
                    mask.formUnion(watches[watch] ?? [])
                    watches[watch] = mask
                    narrow(watch, on: directory, to: mask, for: container)
                } catch {
                    isWhole = false
                    keepsWatches = keepsWatches || error.isShortage
                }
                // After the watch, which reports changes from now on.
                let status = try kernel.status(of: "", in: directory)
                // An unread symlink must not count as a directory: the directories above its target would be left out.
                let next = try target.get()
                guard walk.descend(component, through: next) else {
                    isAboveKnown = false
                    break
                }
                above.append(status.file.access)
            } catch {
                isAboveKnown = false
                if error.isShortage {
                    // The error says nothing of the directories, so all that was known of them stays.
                    (isAboveAsBefore, keepsWatches) = (true, true)
                    isUnwatched = isUnwatched || container.above.hasUnwatched
                } else if error == .noAccess {
                    isUnwatched = true
                }
                if ![.noEntry, .notDirectory, .crossesDevice].contains(error) { isWhole = false }
                break
            }
        }
        if keepsWatches { watches.merge(container.above.watches) { $0.union($1) } }
        if isAboveAsBefore {
            container.above.names.formUnion(walk.names)
        } else {
            setAbove(of: container, to: isAboveKnown ? above : nil)
            container.above.names = walk.names
        }
        container.above.hasUnwatched = isUnwatched
        setAncestors(of: container, to: watches)
        if !isWhole, container.polling.next == nil { pollLater(container) }
    }

    // MARK: Marks

    /// Whether a directory is the container's own, by its mark.
    func isOwn(
        _ found: FileStatus, _ type: FileSystemType?, _ file: ContainerTokenFile, _ container: WatchedContainer
    ) -> Bool {
        // A watch that has ended was of a directory that is gone, and the file system may have given its number to this one.
        let isWatched = isKnownRoot(of: container, found) && container.root.map { directories[$0].watch >= 0 } == true
        let directory = ContainerMark.directory(found.identity, isKept: type?.keepsIdentities == true)
        return container.place.judge(file, in: directory, isWatched: isWatched)
    }

    /// Reads the file of a container's mark. A mount that is slow to answer hides no container that has none.
    func tokenFile(of container: WatchedContainer, in directory: CInt) throws(SystemError) -> ContainerTokenFile {
        do throws(SystemError) {
            return try kernel.containerToken(in: directory, known: container.place.tokenFile)
        } catch {
            guard container.place.mark == nil, error.isOfMount else { throw error }
            return ContainerTokenFile(.none)
        }
    }

    /// Whether a directory looks like the container's root that is known.
    func isKnownRoot(of container: WatchedContainer, _ found: FileStatus) -> Bool {
        container.root.map { fileIdentities.isSame(tree.status(of: directories[$0].node), found) } ?? false
    }

    /// The file of a container's mark may have come or changed: looks at it.
    func suspectMark(of number: UInt32, position: UInt64) {
        containers[number]?.place.hasNewsOfMark = true
        suspect(number, position: position)
    }

    /// The directory that was judged last is the container's from now on, with its mark.
    func takeMark(of container: WatchedContainer) {
        let former = container.place.mark
        container.place.take()
        if container.place.mark != former { notices.append(.containerMarked(container: container.number)) }
    }

    /// Has a container's directory looked at again where the file of its mark has come or changed, or the folder of that.
    func lookAtMark(_ name: UnsafeRawBufferPointer, in id: DirectoryID, _ origin: Origin) {
        let node = directories[id].node
        let isFolder = tree.parent(of: node) == nil && name.elementsEqual(ContainerToken.folder.utf8)
        guard isFolder || (name.elementsEqual(ContainerToken.name.utf8) && isMarkFolder(node)) else { return }
        suspectMark(of: node.container, position: origin.position)
    }

    /// A directory was read for the first time: looks whether a root was still in its place when its own watch began, and at the mark.
    func lookAgain(afterFirstReadOf node: TreeNode, _ origin: Origin) {
        if tree.parent(of: node) == nil { suspect(node.container, position: origin.position) }
        if isMarkFolder(node) { suspectMark(of: node.container, position: origin.position) }
    }

    /// Whether a directory is the one that has the file of its container's mark.
    func isMarkFolder(_ node: TreeNode) -> Bool {
        guard let parent = tree.parent(of: node), tree.parent(of: parent) == nil else { return false }
        var isFolder = false
        withName(of: node) { isFolder = $0.elementsEqual(ContainerToken.folder.utf8) }
        return isFolder
    }

    /// Has the way gone anew to those of these containers, or of all, to which something may have happened that nothing told.
    func suspectUnwatched(_ numbers: Set<UInt32>?) {
        for (number, container) in containers where container.above.hasUnwatched {
            if numbers?.contains(number) ?? true { suspect(number, position: positionNow) }
        }
    }

    /// Opens a directory above a container. A directory that may not be read is opened without a watch.
    private func openAncestor(_ path: [CChar]) throws(SystemError) -> (CInt, isReadable: Bool) {
        do throws(SystemError) {
            return (try kernel.openDirectory(at: path, access: .reading), true)
        } catch {
            guard error == .noAccess else { throw error }
            return (try kernel.openDirectory(at: path, access: .path), false)
        }
    }

    /// Returns the target of a symlink; nil if the entry is no symlink or does not exist.
    private func readSymlink(_ name: [UInt8], in directory: CInt) -> Result<[UInt8]?, SystemError> {
        let text = name.map(CChar.init(bitPattern:)) + [0]
        do throws(SystemError) {
            guard try kernel.status(of: text, in: directory).file.kind == .symlink else { return .success(nil) }
        } catch {
            // A directory without search permission ends the walk when the next one is opened.
            return error == .noEntry || error == .noAccess ? .success(nil) : .failure(error)
        }
        return withUnsafeTemporaryAllocation(byteCount: AncestorWalk.symlinkLength, alignment: 1) { buffer in
            do throws(SystemError) {
                let count = try kernel.readSymlink(text, in: directory, into: buffer)
                return .success(Array(buffer[..<count]))
            } catch {
                return .failure(error)
            }
        }
    }

    /// A watch that tells more than anybody needs would wake the daemon for nothing. While directories are being read
    /// it may be one of theirs, of which the result is on its way.
    private func narrow(_ watch: Int32, on directory: CInt, to mask: InotifyMask, for container: WatchedContainer) {
        let inForce = (roots.ancestor(watch)?.mask ?? []).union(mask)
        roots.setMask(inForce, of: watch)
        if resumption.mayRestore(watch: watch) {
            // A directory's in the process before, which it may be again: that is known when all containers are added.
            roots.setMask(inForce.union(.directory), of: watch)
            container.above.hasWideWatches = true
            return
        }
        let inMask = inForce.subtracting(.addToMask)
        var wanted = mask
        // All may lie below this directory: most often one of them alone wants all that is in the mask.
        if wanted.subtracting(.addToMask) != inMask {
            for other in roots.ancestor(watch)?.containers ?? [] where other != container.number {
                wanted.formUnion(containers[other]?.above.watches[watch] ?? [])
                if wanted.subtracting(.addToMask) == inMask { break }
            }
        }
        guard wanted.subtracting(.addToMask) != inMask, directories.directory(watch: watch) == nil else { return }
        guard !tasksAreOutstanding else {
            container.above.hasWideWatches = true
            return
        }
        if (try? kernel.addWatch(on: directory, mask: wanted.subtracting(.addToMask))) != nil {
            roots.setMask(wanted, of: watch)
        }
    }

    func setAncestors(of container: WatchedContainer, to ancestors: [Int32: InotifyMask]) {
        for watch in ancestors.keys {
            roots.add(container.number, below: watch)
            watches.hold(watch)
            watches.want(watch)
        }
        let former = container.above.watches
        container.above.watches = ancestors
        for watch in former.keys where ancestors[watch] == nil {
            let others = roots.remove(container.number, below: watch)
            // They may need less.
            for number in others { suspect(number, position: positionNow) }
            if others.isEmpty, directories.directory(watch: watch) == nil { watches.unwant(watch) }
        }
    }

    /// Returns the access rights of the directories above a container, each of which takes search permission; nil while
    /// they are not known. Kept right by their watches, where access control lists are read.
    package func directoriesAbove(_ number: UInt32) -> [FileAccess]? { containers[number]?.above.access }

    /// The path of a container's directory without symbolic links, as of its last reading; nil before that. A link in the
    /// path may lead elsewhere later, and the container with it.
    package func resolvedPath(of number: UInt32) -> String? { containers[number]?.above.resolvedPath }

    /// Takes the containers of which ``directoriesAbove(_:)`` has changed.
    package func takeAncestorAccessChanges() -> Set<UInt32> {
        roots.takeAccessChanges()
    }

    func setAbove(of container: WatchedContainer, to above: [FileAccess]?) {
        guard container.above.access != above else { return }
        container.above.access = above
        roots.accessChanged(above: container.number)
    }
}

extension WatchedContainer {
    /// The names on the way from `/` to the container.
    var pathComponents: [[UInt8]] { AncestorWalk.components(path.dropLast().map(UInt8.init(bitPattern:))) }
}
