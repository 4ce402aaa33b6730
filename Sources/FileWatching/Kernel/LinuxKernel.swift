// The real kernel.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Metadata
import Synchronization

/// The running kernel, with one inotify instance of its own.
package final class LinuxKernel: WatchKernel {
    private let inotify: Inotify
    /// Where events are read into. Unchecked: only the event loop uses it.
    private nonisolated(unsafe) let ring: EventRing
    private let reading = Mutex(Reading())

    private struct Reading {
        /// Whether the event loop reads.
        var isLoops = false
        /// Whether the last read of the event loop has gone into the room.
        var isInPlace = false
        /// Whether something was read for which there was no room.
        var hasMissed = false
    }
    package let queueLimit: Int
    package let readsAccessLists: Bool
    /// A directory of the daemon's own, which is not entered; 0 for none.
    private let ownInode = Atomic<UInt64>(0)
    private let ownDevice = Atomic<UInt64>(0)
    /// For the loop; the thread that waits for changes has one of its own, since a change is told once for each.
    private let mountChanges: MountChanges?
    /// Why no question takes in a mount made just before it; nil where each does.
    package let mountChangesError: SystemError?
    /// Makes the calls on mounts that may hang.
    let agents: MountAgents

    /// Opens an inotify instance; with `inotify` it takes over one that another process has left, and with `handover` all that is
    /// read goes into the ring there. The directory `own` is one that is not entered, as if a file system were mounted on it: each
    /// change is written down there, and were that a change that is written down in turn, it would never end. A call on a mount that
    /// may hang fails with ``SystemError/timedOut`` after `mountTimeLimit` nanoseconds, or `mountPatience` on the thread that
    /// reads the directories of that mount.
    package init(
        readsAccessLists: Bool = false, inotify descriptor: consuming Descriptor? = nil,
        handover: HandoverMemory? = nil, own: FileIdentity? = nil, mountTimeLimit: UInt64 = WatchLimits.mountTimeLimit,
        mountPatience: UInt64 = WatchLimits.mountPatience, mountAgents: Int = WatchLimits.mountAgents
    ) throws(SystemError) {
        self.readsAccessLists = readsAccessLists
        if let handover { ring = handover.ring } else { ring = try EventRing() }
        do throws(SystemError) {
            (mountChanges, mountChangesError) = (try MountChanges(), nil)
        } catch {
            (mountChanges, mountChangesError) = (nil, error)
        }
        if let descriptor { inotify = Inotify(owning: descriptor) } else { inotify = try Inotify() }
        queueLimit = LinuxKernel.readQueueLimit() ?? LinuxKernel.usualQueueLimit
        agents = MountAgents(
            inotify: inotify.number, timeLimit: mountTimeLimit, patience: mountPatience, limit: mountAgents)
        setOwn(own)
    }

    /// Replaces the directory of the daemon's own, which was made again.
    package func setOwn(_ identity: FileIdentity?) {
        ownDevice.store(identity?.device ?? 0, ordering: .relaxed)
        ownInode.store(identity?.inode ?? 0, ordering: .relaxed)
    }

    private func isOwn(inode: UInt64, device: UInt64) -> Bool {
        inode == ownInode.load(ordering: .relaxed) && device == ownDevice.load(ordering: .relaxed) && inode != 0
    }

    /// The kernel's initial value (inotify(7)).
    private static let usualQueueLimit = 16_384

    private static func readQueueLimit() -> Int? { Entry.number(in: "/proc/sys/fs/inotify/max_queued_events") }

    /// The inotify descriptor's number, to poll it.
    package var descriptor: CInt { inotify.number }

    package func now() -> UInt64 { MonotonicClock.now() }

    package func processorTime() -> UInt64 { MonotonicClock.processorTime() }

    // MARK: Events

    /// Another descriptor of the inotify instance, for an event loop that polls it, reads it and closes it. From now on
    /// ``readEvents(atMost:)`` gives the held records, and reads nothing itself.
    package func handOver() throws(SystemError) -> Descriptor {
        let descriptor = try inotify.duplicate()
        handOverAgain()
        return descriptor
    }

    /// Takes reading back from an event loop that reads nothing more: ``readEvents(atMost:)`` gives the held records,
    /// and then reads itself. Returns a descriptor like that of ``handOver()``, to be polled after ``handOverAgain()``.
    package func takeBack() throws(SystemError) -> Descriptor {
        let descriptor = try inotify.duplicate()
        reading.withLock { $0.isLoops = false }
        // Whatever the loop has read is held.
        ring.expectNoCopy()
        return descriptor
    }

    /// The event loop reads again, with the descriptor that it was promised.
    package func handOverAgain() {
        // The loop may read elsewhere from now on.
        reading.withLock { ($0.isLoops, $0.isInPlace) = (true, false) }
    }

    /// Where the event loop is to read into now. It is to ``hold(_:)`` the records that it has read. Nil where the
    /// place is its own affair.
    ///
    /// If it reads elsewhere all the same, the records are lost with the process until they are held, and the next
    /// process is told so. That need not be said where the last read has gone into the room.
    package func room() -> UnsafeMutableRawBufferPointer? {
        guard let room = ring.room() else { return nil }
        if !readsInPlace { ring.expectCopy() }
        return room
    }

    /// From now on the event loop reads into the ``room()``.
    package func expectRoom() {
        reading.withLock { $0.isInPlace = true }
        ring.expectNoCopy()
    }

    /// Whether there is room for what the event loop reads next. Without it the loop reads nothing.
    package var hasRoom: Bool { ring.hasRoom }

    /// Takes records that the event loop has read. Where there is no room for them they are missed, as where the kernel's queue
    /// overflows.
    package func hold(_ bytes: UnsafeRawBufferPointer) {
        let isInPlace = ring.room()?.baseAddress.map { UnsafeRawPointer($0) } == bytes.baseAddress
        let wasInPlace = reading.withLock { reading in
            defer { reading.isInPlace = isInPlace }
            return reading.isInPlace
        }
        if isInPlace {
            ring.noteRead(bytes.count)
            if !wasInPlace { ring.expectNoCopy() }
        } else if !ring.noteRead(copying: bytes) {
            ring.giveUp()
            reading.withLock { $0.hasMissed = true }
        }
    }

    /// Whether the last read of the event loop has gone into the room.
    package var readsInPlace: Bool { reading.withLock { $0.isInPlace } }

    /// Whether there are records that the watcher has not seen: then an iteration is to follow, whatever else there is to do.
    package var holdsEvents: Bool { ring.hasNews || reading.withLock { $0.hasMissed } }

    /// Reads the queued events into the ring at once, before the event loop does: for the beginning.
    package func readAhead() throws(SystemError) {
        guard !ring.hasNews, let room = ring.room() else { return }
        let count = try inotify.read(into: room)
        if count > 0 { ring.noteRead(count) }
    }

    package func readEvents(atMost limit: Int) throws(SystemError) -> UnsafeRawBufferPointer {
        let (isLoops, hasMissed) = reading.withLock { ($0.isLoops, $0.hasMissed) }
        if hasMissed, !ring.hasNews {
            // Before what is queued: else a writer that never rests would put it off for ever.
            InotifyEvent.withOverflow { record in
                if ring.noteRead(copying: record) { reading.withLock { $0.hasMissed = false } }
            }
        } else if !isLoops {
            try readAhead()
        }
        return try ring.take(atMost: limit)
    }

    package func giveBack(_ count: Int) { ring.giveBack(count) }

    package func queuedBytes() throws(SystemError) -> Int {
        let missed = reading.withLock { $0.hasMissed ? InotifyEvent.headerSize : 0 }
        return try ring.untaken + missed + inotify.queuedBytes()
    }

    package func watches() -> [Int32: UInt64]? { try? inotify.watches() }

    package func openDirectory(
        at path: UnsafePointer<CChar>, access: Directory.Access
    ) throws(SystemError) -> CInt {
        guard let place = agents.place(ofPath: path), let absolute = place.path else {
            let directory = try Directory.open(path, access: access)
            // As a container, or above one, each save would be an event, and each event one more save.
            if let status = try? EntryStatus(of: "", in: directory.number),
                isOwn(inode: status.inode, device: status.device)
            {
                throw .busy
            }
            return directory.release()
        }
        let opened = try agents.ask(place, path) { (agent, path, _) throws(SystemError) in
            try agent.open(path, access: access)
        }
        let number = try agents.keep(opened, at: absolute.dropLast().map(UInt8.init(bitPattern:)), on: place)
        if place.mount.device == ownDevice.load(ordering: .relaxed), let status = try? entryStatus(of: "", in: number),
            isOwn(inode: status.file.inode, device: status.file.device)
        {
            close(number)
            throw .busy
        }
        return number
    }

    package func openDirectory(
        _ path: UnsafePointer<CChar>, beneath directory: CInt, access: Directory.Access
    ) throws(SystemError) -> CInt {
        // No mount is entered below an open directory, so only its own matters.
        guard agents.isActive, let above = agents.path(ofOpen: directory),
            let place = agents.place(of: "", in: directory), let number = place.directory
        else { return try Directory.open(path, beneath: directory, access: access).release() }
        let opened = try agents.ask(place, path) { (agent, path, _) throws(SystemError) in
            try agent.open(path, beneath: number, access: access)
        }
        let name = String(cString: path)
        return try agents.keep(opened, at: name == "." ? above : above + Array("/\(name)".utf8), on: place)
    }

    package func close(_ directory: CInt) {
        agents.forget(directory)
        _ = Descriptor(owning: directory)
    }

    package func status(
        of name: UnsafePointer<CChar>, in directory: CInt
    ) throws(SystemError) -> KernelStatus {
        var status = try entryStatus(of: name, in: directory)
        if readsAccessLists, status.file.kind == .directory {
            status.file.accessList = accessList(of: name, in: directory, owner: status.file.owner)
        }
        return status
    }

    package func entryStatus(
        of name: UnsafePointer<CChar>, in directory: CInt
    ) throws(SystemError) -> KernelStatus {
        var status = try mountAwareStatus(of: name, in: directory)
        if isOwn(inode: status.file.inode, device: status.file.device) { status.isMountRoot = true }
        return status
    }

    /// Bytes of a list of 127 entries; longer ones are rare, and cost another call.
    private static let usualListSize = 1_024
    /// The largest value that an extended attribute may have (xattr(7)).
    private static let largestListSize = 65_536

    package func accessList(of name: UnsafePointer<CChar>, in directory: CInt, owner: UInt32) -> AccessListID {
        guard readsAccessLists else { return .none }
        func read(_ size: Int) throws(SystemError) -> AccessListID {
            var list = AccessListID.none
            var failure: SystemError?
            withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
                do throws(SystemError) {
                    guard
                        let count = try attribute(AccessLists.attribute, of: name, in: directory, into: buffer)
                    else { return }
                    list = AccessLists.intern(Array(buffer[..<count]), owner: owner)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            return list
        }
        do throws(SystemError) {
            do throws(SystemError) {
                return try read(LinuxKernel.usualListSize)
            } catch {
                guard error == .range else { throw error }
                return try read(LinuxKernel.largestListSize)
            }
        } catch {
            // An event reports an entry that is gone. Any other failure must not open an entry that a list may close.
            return error == .noEntry ? .none : .unknown
        }
    }

    package func readSymlink(
        _ name: UnsafePointer<CChar>, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        guard let place = place(of: name, in: directory) else {
            return try Entry.readSymlink(name, in: directory, into: buffer)
        }
        return try agents.ask(place, name) { (agent, name, directory) throws(SystemError) in
            try agent.symlink(name, in: directory, into: buffer)
        }
    }

    package func readEntries(
        of directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        guard let place = place(of: "", in: directory), let number = place.directory else {
            return try Directory.readEntries(of: directory, into: buffer)
        }
        return try agents.ask(place, "") { (agent, _, _) throws(SystemError) in
            try agent.entries(of: number, into: buffer)
        }
    }

    /// The kernel's own record of the path (`/proc/self/fd`, proc_pid_fd(5)), which asks no file system.
    package func path(of directory: CInt) -> String? {
        if agents.mount(ofOpen: directory) != nil { return pathOnMount(of: directory) }
        return MountAgents.path(of: directory)?.withUnsafeBytes { LinuxKernel.path(inLink: $0) }
    }

    /// Returns the path in such a link; nil for a directory that was removed, and for a path that is not UTF-8.
    static func path(inLink link: UnsafeRawBufferPointer) -> String? {
        guard let path = String(validating: link, as: UTF8.self), path.hasPrefix("/"), !path.hasSuffix(deleted) else {
            return nil
        }
        return path
    }

    /// `PATH_MAX`: proc_pid_fd(5) tells no longer path.
    static let longestPath = 4_096
    /// Stands behind the path of a directory that was removed.
    private static let deleted = " (deleted)"

    /// rename(2) holds the locks of both directories until it has queued both events (`do_renameat2`), and getdents64(2) takes
    /// the same one, whatever it finds.
    package func finishRenames(in directory: CInt) {
        guard let reading = try? openDirectory(".", beneath: directory, access: .reading) else { return }
        defer { close(reading) }
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { buffer in
            _ = try? readEntries(of: reading, into: buffer)
        }
    }

    package func addWatch(on directory: CInt, mask: InotifyMask) throws(SystemError) -> Int32 {
        guard let place = place(of: "", in: directory), let number = place.directory else {
            return try inotify.addWatch(on: directory, mask: mask)
        }
        return try agents.ask(place, "") { (agent, _, _) throws(SystemError) in
            try agent.addWatch(on: number, mask: mask)
        }
    }

    package func removeWatch(_ watch: Int32) throws(SystemError) { try inotify.removeWatch(watch) }

    package func fileSystemType(of directory: CInt) -> FileSystemType? {
        do throws(SystemError) {
            guard let place = place(of: "", in: directory), let number = place.directory else {
                return FileSystemType(rawValue: try Directory.fileSystemType(of: directory))
            }
            if let type = agents.fileSystemType(ofOpen: directory) { return type }
            return FileSystemType(
                rawValue: try agents.ask(place, "") { (agent, _, _) throws(SystemError) in
                    try agent.fileSystemType(of: number)
                })
        } catch {
            return nil
        }
    }

    /// Returns the tighter of the kernel's limit and that of the user namespace, which has one of its own
    /// (namespaces(7)); nil where neither can be read.
    package func userWatchLimit() -> Int? {
        [
            Entry.number(in: "/proc/sys/fs/inotify/max_user_watches"),
            Entry.number(in: "/proc/sys/user/max_inotify_watches"),
        ].compactMap { $0 }.min()
    }

    package func haveMountsChanged() -> Bool { mountChanges?.take() ?? false }

    package func mounts() throws(SystemError) -> Set<Mount> {
        let mounts = try MountTable.read()
        agents.update(mounts)
        return mounts
    }
}

extension KernelStatus {
    /// The status in the words of the vocabulary.
    init(_ status: EntryStatus) {
        let kind: FileKind =
            switch status.type {
            case .directory: .directory
            case .symlink: .symlink
            case .fifo: .fifo
            case .socket: .socket
            case .characterDevice: .characterDevice
            case .blockDevice: .blockDevice
            case .regular, nil: .file
            }
        self.init(
            file: FileStatus(
                kind: kind, mode: status.mode & 0o7777, size: status.size,
                created: status.created.map(Timestamp.init), modified: Timestamp(status.modified),
                changed: Timestamp(status.changed), owner: status.owner, group: status.group, links: status.links,
                inode: status.inode, device: status.device),
            isMountRoot: status.isMountRoot)
    }
}

extension Timestamp {
    fileprivate init(_ time: EntryStatus.Time) {
        self.init(seconds: time.seconds, nanoseconds: Int64(time.nanoseconds))
    }
}
