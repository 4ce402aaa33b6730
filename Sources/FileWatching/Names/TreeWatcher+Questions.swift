// Questions about the tree, its containers and the file system, which change nothing.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import Metadata

extension TreeWatcher {
    func isIgnored(_ name: UnsafeRawBufferPointer, in id: DirectoryID) -> Bool {
        guard let container = containers[directories.container(of: id)] else { return false }
        return !container.options.ignored.isEmpty && container.options.ignored.contains(name)
    }

    /// Whether an event is about an entry's content, mode or times, and not about its name.
    func isContentChange(_ event: InotifyEvent) -> Bool {
        event.nameLength > 0 && event.mask.rawValue & ~InotifyMask.contentChanges == 0
    }

    /// Whether `node` is `other` or lies above it. A tree that has not heard of all moves yet may say so of a move
    /// that the kernel has made.
    func isSelfOrAncestor(_ node: TreeNode, of other: TreeNode) -> Bool {
        var current: TreeNode? = other
        while let place = current {
            if place == node { return true }
            current = tree.parent(of: place)
            iteration.noteSteps(1)
        }
        return false
    }

    /// Looks at an entry now; nil where it is not there or its directory is not where its row is. Whatever name a look-up is at
    /// stays in its buffer.
    func status(of name: UnsafeRawBufferPointer, in id: DirectoryID) -> KernelStatus? {
        try? findStatus(of: name, in: id)
    }

    /// ``status(of:in:)``, with the error.
    func findStatus(of name: UnsafeRawBufferPointer, in id: DirectoryID) throws(SystemError) -> KernelStatus {
        let directory = try descriptor(of: id)
        return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) {
            (text) -> Result<KernelStatus, SystemError> in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: name)
            text[name.count] = 0
            guard let start = text.baseAddress else { return .failure(.invalid) }
            do throws(SystemError) {
                return .success(try kernel.status(of: start, in: directory))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Whether a file has a name now.
    func lies(_ file: FileStatus, _ name: UnsafeRawBufferPointer, in id: DirectoryID) -> Bool {
        status(of: name, in: id).map { fileIdentities.isSame($0.file, file) } ?? false
    }

    /// Whether something was heard of a name that was not looked at since.
    func waits(_ name: UnsafeRawBufferPointer, in id: DirectoryID) -> Bool {
        lookUps.waits(name, in: id) || deferredLookUps.waits(name, in: id)
    }

    /// Whether a rename is the first pair of a save of a document, by exchange or over the current file. The item of the document
    /// goes on in both cases.
    func isSave(
        _ rename: PendingRename, _ event: InotifyEvent, _ name: UnsafeRawBufferPointer, in id: DirectoryID
    ) -> Bool {
        !event.mask.contains(.isDirectory) && rename.directory == id
            && SaveName.complete.isName(rename.name, of: name)
    }

    /// The entry that is known as this directory, wherever it is known to lie.
    func knownDirectory(_ status: FileStatus, in container: UInt32) -> TreeNode? {
        var known: TreeNode?
        let root = tree.root(of: container)
        tree.forEachNode(inode: status.inode, device: status.device, in: container) { node in
            if node != root, known == nil { known = node }
        }
        guard let known, fileIdentities.isSame(tree.status(of: known), status) else { return nil }
        return known
    }

    /// Whether a directory is where its row is, by the whole way.
    func isInPlace(_ id: DirectoryID) -> Bool {
        let record = directories[id]
        guard let container = containers[record.node.container], let root = try? openRoot(container) else {
            return false
        }
        var opened: CInt?
        path(of: record.node).withUnsafeBytes {
            opened =
                $0.isEmpty
                ? try? kernel.openDirectory(".", beneath: root.number, access: .path)
                : try? kernel.openDirectory(longPath: $0, beneath: root.number, access: .path)
        }
        guard let number = opened else { return false }
        defer { kernel.close(number) }
        guard let status = try? kernel.status(of: "", in: number) else { return false }
        return status.file.inode == record.inode && status.file.device == record.device
    }

    /// Whether a directory is the root of a container whose entries have left the tree.
    func isDetachedRoot(_ id: DirectoryID) -> Bool {
        guard let container = containers[directories.container(of: id)] else { return false }
        return container.knowledge.isDetached && container.root == id
    }

    /// Whether a watched directory was read for its extended attributes alone. Events report all other changes in it, and until they
    /// were read no finding explains such a change.
    func isForXattrs(_ origin: Origin, of id: DirectoryID) -> Bool {
        guard directories[id].watch >= 0, let comparison = containers[directories.container(of: id)]?.comparison else {
            return false
        }
        return comparison.isForXattrs && comparison.task == origin.task
    }

    /// Whether a comparison is listing directories, beside which another is read for itself. No event reports its
    /// findings and missing entries: the event that made one into the other may be lost.
    func isBesideListing(_ container: WatchedContainer?) -> Bool {
        container?.comparison?.isListingAll == true
    }

    /// Whether an event may report an entry that a comparison in the background misses, or finds replaced. The
    /// comparison has read the directory before it looks, and a file reported since may have moved on.
    func mayBeReported(_ entry: LookUpQueue.Entry) -> Bool {
        guard entry.origin.task != 0, entry.attempts == 0, directories[entry.directory].watch >= 0,
            let comparison = containers[directories.container(of: entry.directory)]?.comparison
        else { return false }
        return comparison.task == entry.origin.task && comparison.isInBackground && !comparison.isAudit
    }

    /// Whether a handle that was kept is still that of an entry of this file.
    func isEntry(_ node: TreeNode, of file: InodeNumber) -> Bool {
        guard containers[node.container] != nil, tree.node(row: node.row, in: node.container) != nil else {
            return false
        }
        let status = tree.status(of: node)
        return status.inode == file.inode && status.device == file.device && !status.kind.isDirectory
    }

    /// Whether a directory is another each time it is looked at.
    func isUnstable(_ id: DirectoryID) -> Bool {
        readings.unstable.contains(id)
    }

    /// Returns whether an entry is there. If the call fails for want of something or by a time-out, the entry stays and is looked
    /// up again.
    func isThere(_ name: UnsafeRawBufferPointer, in id: DirectoryID, _ origin: Origin) -> Bool {
        do throws(SystemError) {
            _ = try findStatus(of: name, in: id)
            return true
        } catch {
            guard error.isLack else { return false }
            lookUps.add(name, in: id, origin: origin)
            return true
        }
    }

    /// Whether a file system is mounted on the container's directory, or was when it was available. To be saved with
    /// the container, for the next start.
    package func isMountPoint(_ number: UInt32) -> Bool { containers[number]?.place.isMountPoint == true }

    /// Whether a container is unavailable since the file system of its directory is not mounted.
    package func isUnmounted(_ number: UInt32) -> Bool {
        containers[number].map { $0.place.isUnmounted && !$0.place.isEnclosed } == true
    }

    /// The mark by which a container is known; nil for none. To be saved with the container, for the next start.
    package func mark(of number: UInt32) -> ContainerMark? { containers[number]?.place.mark }

    /// Why the directory at a container's path is not taken for the container; nil if it is, or if there is none.
    package func stranger(at number: UInt32) -> ContainerStranger? { containers[number]?.place.stranger }

    /// Whether a container is unavailable since its directory belongs to the container that it lies in.
    package func isEnclosed(_ number: UInt32) -> Bool { containers[number]?.place.isEnclosed == true }

    /// How a container stands; nil for one that is not watched.
    package func state(of number: UInt32) -> WatchState? { containers[number]?.state }

    /// Returns the paths of at most `limit` directories of a container that cannot be read, relative to its root. Looks
    /// at ``WatchLimits/unreadableScanned`` directories at most, over all containers, and leaves out paths that are longer
    /// than `PATH_MAX`: users choose them, and no program can be given them.
    package func unreadablePaths(of number: UInt32, limit: Int) -> [[UInt8]] {
        directories.unreadable.lazy.prefix(WatchLimits.unreadableScanned)
            .filter {
                self.directories.container(of: $0) == number
                    && self.hasPath(of: self.directories[$0].node, within: WatchLimits.reportedPath)
            }
            .prefix(limit).map { self.path(of: self.directories[$0].node) }
    }

    /// Figures of a container.
    package func figures(of number: UInt32) -> ContainerFigures {
        var figures = ContainerFigures()
        guard let container = containers[number] else { return figures }
        figures.directories = container.counts.directories
        figures.watches = container.counts.watches
        figures.unreadable = container.counts.unreadable
        figures.polled = container.polling.fileSystem == nil ? container.counts.unwatched : container.counts.directories
        figures.overLimit = container.counts.overLimit
        figures.outstanding = container.outstanding
        if let comparison = container.comparison, comparison.isListingAll {
            figures.outstanding += comparison.queue.count
        }
        figures.lookUps = container.counts.lookUps
        return figures
    }
}
