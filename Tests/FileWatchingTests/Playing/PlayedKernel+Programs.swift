// The played kernel as programs change it.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization

extension PlayedKernel {
    static func locate(_ path: String, _ state: State) -> (parent: UInt64, name: String, inode: UInt64?) {
        let names = path.split(separator: "/").map(String.init)
        var parent: UInt64 = 1
        for name in names.dropLast() {
            guard let next = state.inodes[parent]?.children[name] else { fatalError("no such directory: \(path)") }
            parent = next
        }
        let name = names.last ?? ""
        return (parent, name, name.isEmpty ? 1 : state.inodes[parent]?.children[name])
    }

    static func queue(
        _ directory: UInt64, _ mask: InotifyMask, _ name: String, cookie: UInt32 = 0, _ state: inout State
    ) {
        guard !state.isQuiet, let watch = state.inodes[directory]?.watch,
            state.inodes[directory]?.mask.isDisjoint(with: mask.subtracting(.isDirectory)) == false
        else { return }
        state.queue.append(Event(watch: watch, mask: mask, cookie: cookie, name: name))
    }

    static func touch(_ inode: UInt64, _ state: inout State) {
        state.time += 1
        state.inodes[inode]?.status.modified = Timestamp(nanoseconds: state.time)
        state.inodes[inode]?.status.changed = Timestamp(nanoseconds: state.time)
    }

    /// Makes a file or a directory. `inode` hands out a number again.
    func create(_ path: String, _ kind: FileKind = .file, inode number: UInt64? = nil) {
        state.withLock { state in
            let place = PlayedKernel.locate(path, state)
            precondition(place.inode == nil, "exists: \(path)")
            state.time += 1
            while state.inodes[state.nextInode] != nil { state.nextInode += 1 }
            let inode = number ?? state.nextInode
            if number == nil { state.nextInode += 1 }
            precondition(state.inodes[inode] == nil, "the inode is in use")
            state.inodes[inode] = Inode(status: PlayedKernel.status(inode, kind, state.time))
            state.inodes[place.parent]?.children[place.name] = inode
            PlayedKernel.touch(place.parent, &state)
            PlayedKernel.queue(
                place.parent, kind == .directory ? [.create, .isDirectory] : .create, place.name, &state)
        }
    }

    func symlink(_ path: String, to target: String) {
        create(path, .symlink)
        state.withLock { state in
            if let inode = PlayedKernel.locate(path, state).inode { state.targets[inode] = target }
        }
    }

    /// Makes changes without events.
    func quietly(_ body: () -> Void) {
        state.withLock { $0.isQuiet = true }
        body()
        state.withLock { $0.isQuiet = false }
    }

    func write(_ path: String, size: Int64) {
        state.withLock { state in
            let place = PlayedKernel.locate(path, state)
            guard let inode = place.inode else { fatalError("no such file: \(path)") }
            state.inodes[inode]?.status.size = size
            PlayedKernel.touch(inode, &state)
            PlayedKernel.queue(place.parent, .modify, place.name, &state)
        }
    }

    /// Sets the extended attributes, with a mode and a list of who may read them; `ticks` says whether the time of change has gone on
    /// since the change before.
    func setXattrs(
        _ path: String, _ attributes: [String: String], mode: UInt16? = nil, list: AccessListID? = nil,
        ticks: Bool = true
    ) {
        let xattrs = ExtraAttributes(attributes.map { (Array($0.key.utf8), Array($0.value.utf8)) })
        state.withLock { state in
            let place = PlayedKernel.locate(path, state)
            guard let inode = place.inode else { fatalError("no such file: \(path)") }
            if ticks { state.time += 1 }
            state.inodes[inode]?.xattrs = xattrs.bytes
            if let mode { state.inodes[inode]?.status.mode = mode }
            if let list { state.inodes[inode]?.accessList = list }
            state.inodes[inode]?.status.changed = Timestamp(nanoseconds: state.time)
            let isDirectory: InotifyMask = state.inodes[inode]?.status.kind == .directory ? .isDirectory : []
            PlayedKernel.queue(place.parent, isDirectory.union(.attributes), place.name, &state)
            if !isDirectory.isEmpty { PlayedKernel.queue(inode, isDirectory.union(.attributes), "", &state) }
        }
    }

    /// Has the extended attributes of a file fail to be read; nil for no more.
    func failXattrs(_ path: String, _ error: SystemError?) {
        state.withLock { state in
            guard let inode = PlayedKernel.locate(path, state).inode else { fatalError("no such file: \(path)") }
            state.inodes[inode]?.xattrError = error
        }
    }

    func link(_ old: String, _ new: String) {
        state.withLock { state in
            guard let inode = PlayedKernel.locate(old, state).inode else { fatalError("no such file: \(old)") }
            let place = PlayedKernel.locate(new, state)
            state.inodes[inode]?.status.links += 1
            state.inodes[place.parent]?.children[place.name] = inode
            PlayedKernel.touch(place.parent, &state)
            PlayedKernel.queue(place.parent, .create, place.name, &state)
        }
    }

    func remove(_ path: String) {
        state.withLock { state in
            let place = PlayedKernel.locate(path, state)
            guard let inode = place.inode else { fatalError("no such file: \(path)") }
            let isDirectory = state.inodes[inode]?.status.kind == .directory
            state.inodes[place.parent]?.children[place.name] = nil
            PlayedKernel.touch(place.parent, &state)
            PlayedKernel.queue(place.parent, isDirectory ? [.delete, .isDirectory] : .delete, place.name, &state)
            PlayedKernel.unlink(inode, &state)
        }
    }

    static func unlink(_ inode: UInt64, _ state: inout State) {
        let isDirectory = state.inodes[inode]?.status.kind == .directory
        let links = state.inodes[inode]?.status.links ?? 1
        state.inodes[inode]?.status.links = isDirectory ? 0 : links - 1
        collect(inode, &state)
    }

    func move(_ old: String, _ new: String) {
        state.withLock { state in
            let (from, to) = (PlayedKernel.locate(old, state), PlayedKernel.locate(new, state))
            guard let inode = from.inode else { fatalError("no such file: \(old)") }
            state.inodes[from.parent]?.children[from.name] = nil
            state.inodes[to.parent]?.children[to.name] = inode
            PlayedKernel.queueMove(inode, from, to, &state)
            if let replaced = to.inode { PlayedKernel.unlink(replaced, &state) }
        }
    }

    func exchange(_ a: String, _ b: String) {
        state.withLock { state in
            let (from, to) = (PlayedKernel.locate(a, state), PlayedKernel.locate(b, state))
            guard let first = from.inode, let second = to.inode else { fatalError("no such file") }
            state.inodes[from.parent]?.children[from.name] = second
            state.inodes[to.parent]?.children[to.name] = first
            PlayedKernel.queueMove(first, from, to, &state)
            PlayedKernel.queueMove(second, to, from, &state)
        }
    }

    static func queueMove(
        _ inode: UInt64, _ from: (parent: UInt64, name: String, inode: UInt64?),
        _ to: (parent: UInt64, name: String, inode: UInt64?), _ state: inout State
    ) {
        touch(from.parent, &state)
        touch(to.parent, &state)
        state.time += 1
        state.inodes[inode]?.status.changed = Timestamp(nanoseconds: state.time)
        let kind: InotifyMask = state.inodes[inode]?.status.kind == .directory ? .isDirectory : []
        queue(from.parent, kind.union(.movedFrom), from.name, cookie: state.nextCookie, &state)
        queue(to.parent, kind.union(.movedTo), to.name, cookie: state.nextCookie, &state)
        if let watch = state.inodes[inode]?.watch { state.queue.append(Event(watch: watch, mask: .moveSelf)) }
        state.nextCookie += 1
    }

    func setMountRoot(_ path: String, _ isMountRoot: Bool) {
        state.withLock { state in
            guard let inode = PlayedKernel.locate(path, state).inode else { fatalError("no such directory") }
            state.inodes[inode]?.isMountRoot = isMountRoot
        }
    }

    /// Sets the mode, and with it whether the directory can be read.
    func setUnreadable(_ path: String, _ isUnreadable: Bool) {
        setMode(path, isUnreadable ? 0o311 : 0o755) { $0.isUnreadable = isUnreadable }
    }

    /// Sets the mode, and with it whether what lies in the directory can be reached.
    func setUnsearchable(_ path: String, _ isUnsearchable: Bool) {
        setMode(path, isUnsearchable ? 0o644 : 0o755) { $0.isUnsearchable = isUnsearchable }
    }

    private func setMode(_ path: String, _ mode: UInt16, _ change: (inout Inode) -> Void) {
        state.withLock { state in
            let place = PlayedKernel.locate(path, state)
            guard let inode = place.inode else { fatalError("no such directory") }
            state.time += 1
            let now = Timestamp(nanoseconds: state.time)
            state.inodes[inode]?.status.mode = mode
            state.inodes[inode]?.status.changed = now
            if state.inodes[inode] != nil { change(&state.inodes[inode]!) }
            PlayedKernel.queue(place.parent, [.attributes, .isDirectory], place.name, &state)
            PlayedKernel.queue(inode, [.attributes, .isDirectory], "", &state)
        }
    }

    /// Returns the kind of the entry at a path; nil for none.
    func kind(_ path: String) -> FileKind? {
        state.withLock { state in
            var inode: UInt64 = 1
            for name in path.split(separator: "/") {
                guard let next = state.inodes[inode]?.children[String(name)] else { return nil }
                inode = next
            }
            return state.inodes[inode]?.status.kind
        }
    }

    /// Whether a directory above may not be read or not be searched.
    func isHidden(_ path: String) -> Bool {
        state.withLock { state in
            var inode: UInt64 = 1
            for name in path.split(separator: "/").dropLast() {
                guard let next = state.inodes[inode]?.children[String(name)], let entry = state.inodes[next] else {
                    return false
                }
                if entry.isUnreadable || entry.isUnsearchable { return true }
                inode = next
            }
            return false
        }
    }

    /// The inode at a path.
    func inode(_ path: String) -> UInt64? { state.withLock { PlayedKernel.locate(path, $0).inode } }

    /// The process that watches has ended.
    func endWatches() {
        state.withLock { state in
            for inode in state.watches.values {
                state.inodes[inode]?.watch = nil
                state.inodes[inode]?.mask = []
            }
            (state.watches, state.queue, state.unfinished) = ([:], [], [])
        }
    }
}
