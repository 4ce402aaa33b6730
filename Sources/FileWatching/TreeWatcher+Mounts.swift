// Mounts and unmounts: nothing is told of them but that the table of mounts has changed.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// The table of mounts has changed: the containers' roots are looked at, and what is or was mounted within them.
    /// Call ``turn()`` after it.
    package func mountsChanged() {
        guard !isClosed, let known = knownMounts, let mounts = kernel.mounts() else { return }
        knownMounts = mounts
        let differing = known.symmetricDifference(mounts)
        guard !differing.isEmpty else { return }
        suspects.formUnion(containers.keys)
        for mount in differing { lookAtMountPoint(mount) }
        // What is being read may have been opened before.
        guard tasksAreOutstanding else { return }
        unsureMounts.formUnion(differing)
        nextMountLook = nextMountLook ?? kernel.now() &+ WatchLimits.mountLookInterval
    }

    /// Looks at them again: when nothing is being read, and now and then before, since where directories come and go all
    /// the time there is no such moment.
    func lookAtUnsureMounts() {
        guard let time = nextMountLook, !tasksAreOutstanding || kernel.now() >= time else { return }
        for mount in unsureMounts { lookAtMountPoint(mount) }
        nextMountLook = tasksAreOutstanding ? kernel.now() &+ WatchLimits.mountLookInterval : nil
        if !tasksAreOutstanding { unsureMounts = [] }
    }

    /// Looks at the entry that something is or was mounted on, in each container that knows its directory. The table
    /// has other paths than ours where symlinks and bind mounts are, so the directory is known by its inode.
    func lookAtMountPoint(_ mount: Mount) {
        guard let slash = mount.path.lastIndex(of: UInt8(ascii: "/")), slash + 1 < mount.path.count else { return }
        let above = slash == 0 ? [UInt8(ascii: "/")] : Array(mount.path[..<slash])
        guard let number = try? kernel.openDirectory(at: above.map(CChar.init(bitPattern:)) + [0], access: .path) else {
            return
        }
        defer { kernel.close(number) }
        guard let status = try? kernel.status(of: "", in: number).file else { return }
        let name = Array(mount.path[(slash + 1)...])
        guard name.count <= WatchLimits.nameLength else { return }
        for container in containers.values {
            guard let id = directory(status, in: container) else { continue }
            name.withUnsafeBytes { lookUps.add($0, in: id, origin: Origin(cause: causeNow)) }
        }
    }

    private func directory(_ status: FileStatus, in container: WatchedContainer) -> DirectoryID? {
        guard let root = container.root else { return nil }
        if directories[root].inode == status.inode, directories[root].device == status.device { return root }
        return knownDirectory(status, in: container.number).flatMap { directories.directory(at: $0) }
    }

    /// Whether a directory is another since something was mounted over it, or is no more. The entry stays, what lay
    /// below leaves or comes.
    func mountChanged(
        _ child: TreeNode, from old: FileStatus, to new: KernelStatus, extras: UnsafeRawBufferPointer?, _ origin: Origin
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
        if tell(child, new.file, extras: extras) { count(origin) { $0.changed += 1 } }
        if !new.isMountRoot { enter(child, new.file, origin: origin) }
        return true
    }
}
