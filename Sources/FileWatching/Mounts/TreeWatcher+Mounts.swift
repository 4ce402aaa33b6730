// Mounts and unmounts: nothing is told of them but that the table of mounts has changed.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// The table of mounts has changed: the containers' roots are looked at, and what is or was mounted within them.
    /// Call ``turn()`` after it.
    package func mountsChanged() {
        mountsMayHaveMoved = false
        guard !isClosed, let known = knownMounts, let mounts = readMounts() else { return }
        knownMounts = mounts
        let differing = known.symmetricDifference(mounts)
        guard !differing.isEmpty else { return }
        for number in containers.keys { suspect(number, cause: causeNow) }
        look(at: differing)
    }

    /// What is mounted where. The change of it is told once, so where it cannot be read for want of something it is read
    /// again; nil then, and where it cannot be told.
    func readMounts() -> Set<Mount>? {
        do throws(SystemError) {
            return try kernel.mounts()
        } catch {
            if error.isLack { mountsAreLacking() }
            return nil
        }
    }

    private func mountsAreLacking() {
        lacksMounts = true
        nextMountLook = nextMountLook ?? kernel.now() &+ WatchLimits.mountLookInterval
    }

    /// Looks at them again: when nothing is being read, and now and then before, since where directories come and go all
    /// the time there is no such moment. Where something is wanting, time alone can tell.
    func lookAtUnsureMounts() {
        guard let time = nextMountLook, kernel.now() >= time || !(tasksAreOutstanding || lacksMounts) else { return }
        let (unsure, isUnread) = (unsureMounts, lacksMounts)
        (unsureMounts, nextMountLook, lacksMounts) = ([], nil, false)
        if isUnread { mountsChanged() }
        look(at: unsure)
    }

    func look(at mounts: Set<Mount>) {
        for mount in mounts where !lookAtMountPoint(mount) {
            unsureMounts.insert(mount)
            mountsAreLacking()
        }
        // What is being read may have been opened before.
        guard tasksAreOutstanding, !mounts.isEmpty else { return }
        unsureMounts.formUnion(mounts)
        nextMountLook = nextMountLook ?? kernel.now() &+ WatchLimits.mountLookInterval
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
            name.withUnsafeBytes { lookUps.add($0, in: id, origin: Origin(cause: causeNow)) }
        }
        return true
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

extension Set<Mount> {
    /// The names of the directories above mounts that may hang. If such a directory is renamed, paths in the table change, but
    /// `poll(2)` on the table reports nothing.
    var namesAbove: Set<[UInt8]> {
        reduce(into: []) { names, mount in
            guard mount.mayHang else { return }
            names.formUnion(mount.path.split(separator: UInt8(ascii: "/")).dropLast().map(Array.init))
        }
    }
}
