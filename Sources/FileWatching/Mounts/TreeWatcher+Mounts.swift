// Mounts and unmounts: nothing is told of them but that the table of mounts has changed.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Metadata

extension TreeWatcher {
    /// The table of mounts has changed: looks at the containers' roots, and at present and former mounts within them.
    /// Call ``iterate()`` after it.
    package func mountsChanged() {
        mounts.willRead()
        guard !isClosed, mounts.isKnown, let table = readMounts() else { return }
        let differing = mounts.replace(with: table)
        guard !differing.isEmpty else { return }
        for number in containers.keys { suspect(number, position: positionNow) }
        look(at: differing)
    }

    /// Opens a directory for reading and looks into it, as the watcher would. Returns the error, nil if both work. A mount that does
    /// not answer is an error, too, so this ends.
    package func openingError(at path: String) -> SystemError? {
        readFirstMounts()
        do throws(SystemError) {
            let directory = try kernel.openDirectory(at: path, access: .reading)
            defer { kernel.close(directory) }
            // This needs the permission to search.
            _ = try kernel.status(of: ".", in: directory)
            return nil
        } catch {
            return error
        }
    }

    /// Reads the table for the first time. One that cannot be read counts as empty until a change of it is told.
    func readFirstMounts() {
        if !mounts.isKnown { _ = mounts.replace(with: readMounts() ?? []) }
    }

    /// Reads the table of mounts; nil if it cannot be read. The change of it is told once, so if something is wanting it is read
    /// again.
    private func readMounts() -> Set<Mount>? {
        do throws(SystemError) {
            return try kernel.mounts()
        } catch {
            if error.isLack { mounts.lookAgain(at: [], isLacking: true, now: kernel.now()) }
            return nil
        }
    }

    /// Looks again at mounts that were looked at too early.
    func lookAtUnsureMounts() {
        guard let unsure = mounts.takeUnsure(isReading: tasksAreOutstanding, now: kernel.now()) else { return }
        if unsure.isTableUnread { mountsChanged() }
        look(at: unsure.mounts)
    }

    func look(at places: Set<Mount>) {
        let lacking = places.filter { !lookAtMountPoint($0) }
        if !lacking.isEmpty { mounts.lookAgain(at: lacking, isLacking: true, now: kernel.now()) }
        // A directory that is being read may have been opened before.
        guard tasksAreOutstanding, !places.isEmpty else { return }
        mounts.lookAgain(at: places, isLacking: false, now: kernel.now())
    }

    /// Looks at the entry that something is or was mounted on, in each container that knows its directory. The table
    /// has other paths than ours where symlinks and bind mounts are, so the directory is known by its inode. False where
    /// something was wanting to look at it.
    private func lookAtMountPoint(_ mount: Mount) -> Bool {
        guard let slash = mount.path.lastIndex(of: UInt8(ascii: "/")), slash + 1 < mount.path.count else { return true }
        let above = slash == 0 ? [UInt8(ascii: "/")] : Array(mount.path[..<slash])
        let status: FileStatus
        do throws(SystemError) {
            let number = try kernel.openDirectory(at: above.map(CChar.init(bitPattern:)) + [0], access: .path)
            defer { kernel.close(number) }
            status = try kernel.status(of: "", in: number).file
        } catch {
            // It is looked at again when the mount that it lies on answers.
            return !error.isLack || error == .timedOut
        }
        let name = Array(mount.path[(slash + 1)...])
        guard name.count <= WatchLimits.nameLength else { return true }
        for container in containers.values {
            guard let id = directory(status, in: container) else { continue }
            name.withUnsafeBytes { lookUps.add($0, in: id, origin: Origin(position: positionNow)) }
        }
        return true
    }

    private func directory(_ status: FileStatus, in container: WatchedContainer) -> DirectoryID? {
        guard let root = container.root else { return nil }
        if directories[root].inode == status.inode, directories[root].device == status.device { return root }
        return knownDirectory(status, in: container.number).flatMap { directories.directory(at: $0) }
    }

    /// Whether a directory is another since something was mounted over it, or is no more. The entry stays, and the
    /// entries below it leave or come.
    func mountChanged(
        _ child: TreeNode, from old: FileStatus, to new: KernelStatus, xattrs: UnsafeRawBufferPointer?, _ origin: Origin
    ) -> Bool {
        guard old.kind.isDirectory, new.file.kind == .directory else { return false }
        let wasEntered = directories.directory(at: child) != nil
        // A directory that is not entered has a file system mounted on it, or is to be verified.
        guard new.isMountRoot || (!wasEntered && tree.childCount(of: child) == 0) else { return false }
        if wasEntered {
            leave(child)
            removeChildren(of: child, origin: origin)
        }
        if !new.isMountRoot, knownDirectory(new.file, in: child.container) != nil {
            // It was unmounted, and the directory beneath has moved here meanwhile.
            return false
        }
        if publish(child, new.file, xattrs: xattrs) { count(origin) { $0.changed += 1 } }
        if !new.isMountRoot { enter(child, new.file, origin: origin) }
        return true
    }

    /// Updates the list of mounts that do not answer. Looks again at those that answer now, and at all when it is time.
    func followMounts() {
        let now = kernel.now()
        if kernel.takeLateAnswers() {
            askAgain()
            mounts.answeredLate(now: now)
        } else if mounts.takeQuestion(now: now) {
            for container in containers.values { publishUnreachable(in: container) }
            askAgain()
        }
        let version = kernel.reachabilityVersion
        guard version != mounts.unreachableVersion else { return }
        let answering = mounts.setUnreachable(kernel.unreachableMounts(), version: version, now: now)
        let published = containers.values.reduce(into: Set<Mount>()) { $0.formUnion($1.mounts.published) }
        for container in containers.values { noteUnreachable(in: container) }
        if !answering.isEmpty { resume(answering, published: published) }
    }

    /// Looks at the mount points that do not answer, and at the containers on them.
    private func askAgain() {
        look(at: Set(mounts.unreachable.map(\.mount)))
        for container in containers.values where container.mounts.holdsContainer {
            suspect(container.number, position: positionNow)
        }
    }

    /// Mounts answer again. Containers on those that were told are compared: others were silent for less than a second, and a
    /// directory that could not be read meanwhile is polled.
    private func resume(_ mounts: Set<Mount>, published: Set<Mount>) {
        look(at: mounts)
        for container in containers.values {
            guard let path = kernel.resolvedPath(container.path),
                let mount = MountPaths.innermost(of: mounts, holding: path), mount.path.count > 1
            else { continue }
            suspect(container.number, position: positionNow)
            guard published.contains(mount) else { continue }
            container.polling.schedule(kernel.now())
            container.comparison?.notBefore = nil
        }
    }

    /// Notes the mounts that do not answer in a container, or the one that it lies on.
    func noteUnreachable(in container: WatchedContainer) {
        let path = mounts.unreachable.isEmpty ? nil : kernel.resolvedPath(container.path)
        let (silent, holdsContainer) = path.map(mounts.unreachable(at:)) ?? ([], false)
        for mount in container.mounts.set(silent, holdsContainer: holdsContainer) {
            notices.append(.reachableMount(container: container.number, mount))
        }
    }

    /// Tells of mounts that are silent for some time. A slow server is silent for a moment again and again.
    private func publishUnreachable(in container: WatchedContainer) {
        for mount in container.mounts.takeUnpublished() {
            notices.append(.unreachableMount(container: container.number, mount))
        }
    }
}

extension UnreachableMount: CustomStringConvertible {
    package var description: String {
        let path = mount.text
        let why = error == .timedOut ? "does not answer" : "is unreachable: \(error)"
        return "the file system at \(path) (\(mount.type)) \(why)"
    }
}
