// A kernel made of dictionaries: a file system in memory that queues the events the real one would, and lets a test say
// how they are read.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization

/// Plays the kernel for a watcher without threads. Everything happens on one thread; the lock only satisfies Sendable.
final class PlayedKernel: WatchKernel {
    struct Inode {
        var status: FileStatus
        var children: [String: UInt64] = [:]
        var watch: Int32?
        var mask: InotifyMask = []
        var isMountRoot = false
        /// Reading it is refused.
        var isUnreadable = false
        /// Nothing in it can be reached.
        var isUnsearchable = false
        var extras: [UInt8] = []
        var accessList = AccessListID.none
        /// Why they cannot be read.
        var extrasError: SystemError?
        /// How many descriptors and names keep it.
        var opened = 0
    }

    struct Event {
        var watch: Int32
        var mask: InotifyMask
        var cookie: UInt32 = 0
        var name = ""
    }

    struct State {
        var inodes: [UInt64: Inode] = [1: Inode(status: PlayedKernel.status(1, .directory, 0))]
        var nextInode: UInt64 = 2
        var nextWatch: Int32 = 1
        var watches: [Int32: UInt64] = [:]
        var nextCookie: UInt32 = 1
        /// Ticks with each change, so that every status differs.
        var time: Int64 = 1
        var queue: [Event] = []
        /// The second half of a rename that is not finished yet.
        var unfinished: [Event] = []
        /// How often a rename was waited for.
        var awaited = 0
        /// How many of the queued events may be read; nil for all.
        var readable: Int? = 0
        var descriptors: [CInt: UInt64] = [:]
        /// The next entries of a directory being read.
        var listings: [CInt: [String]] = [:]
        var nextDescriptor: CInt = 3
        var now: UInt64 = 1_000_000_000
        var limit = 16_384
        var watchLimit = Int.max
        var descriptorLimit = Int.max
        var removedWatches: [Int32] = []
        /// What the system says of the limit, whatever is in force.
        var userWatchLimit: Int?
        /// The most watches that there ever were.
        var mostWatches = 0
        var fileSystemType: FileSystemType?
        /// Whether changes are told to nobody, as those beneath an overlay.
        var isQuiet = false
        /// What happens before each reading of extras, behind that of a status.
        var beforeExtras: (@Sendable (inout State) -> Void)?
        /// How often entries were looked at, and what each look costs of `now`.
        var looks = 0
        var costOfLook: UInt64 = 0
        /// How often directories were opened for look-ups, and how many names the kernel went through for that.
        var opens = 0
        var steps = 0
        /// Why the table of mounts cannot be read.
        var mountsError: SystemError?
        /// A directory that has another number each time somebody looks, so many times.
        var unstableInode: UInt64 = 0
        var unstableLooks = 0
        /// Whether the directory above says always the same.
        var isUnstableWithin = false
        /// Or it is another each time it is opened, and the same at each look as long as it stays open.
        var isUnstableByOpening = false
        /// The errors of openings without a right to read, by the path.
        var openErrors: [String: SystemError] = [:]
        /// The errors of calls for the status of an entry, by its name.
        var statusErrors: [String: SystemError] = [:]
        /// The absolute targets of symlinks.
        var targets: [UInt64: String] = [:]
        /// Whether the watcher was woken since this was taken back.
        var isWoken = false
    }

    let state = Mutex(State())
    /// The watcher's thread uses it alone, in its calls.
    private nonisolated(unsafe) let records = PlayedRecords()

    static func status(_ inode: UInt64, _ kind: FileKind, _ time: Int64) -> FileStatus {
        FileStatus(
            kind: kind, mode: 0o755, size: 0, created: Timestamp(nanoseconds: time),
            modified: Timestamp(nanoseconds: time), changed: Timestamp(nanoseconds: time), owner: 0, group: 0,
            links: kind == .directory ? 2 : 1, inode: inode, device: 1)
    }

    // MARK: The watcher's side

    func now() -> UInt64 { state.withLock { $0.now } }
    func processorTime() -> UInt64 { now() }
    var queueLimit: Int { state.withLock { $0.limit } }

    func readEvents(atMost limit: Int) throws(SystemError) -> UnsafeRawBufferPointer {
        state.withLock { state in
            while let event = state.queue.first, state.readable != 0, records.append(event, atMost: limit) {
                state.queue.removeFirst()
                if let readable = state.readable { state.readable = readable - 1 }
            }
            return records.take()
        }
    }

    func giveBack(_ count: Int) { records.giveBack(count) }

    func queuedBytes() throws(SystemError) -> Int {
        state.withLock { state in
            state.queue.reduce(records.count) { $0 + 16 + ($1.name.isEmpty ? 0 : ($1.name.utf8.count + 16) / 16 * 16) }
        }
    }

    func openDirectory(at path: UnsafePointer<CChar>, access: Directory.Access) throws(SystemError) -> CInt {
        try open(String(cString: path), from: 1, access)
    }

    func openDirectory(
        _ path: UnsafePointer<CChar>, beneath directory: CInt, access: Directory.Access
    ) throws(SystemError) -> CInt {
        guard let inode = state.withLock({ $0.descriptors[directory] }) else { throw .invalid }
        return try open(String(cString: path), from: inode, access)
    }

    private func open(_ path: String, from start: UInt64, _ access: Directory.Access) throws(SystemError) -> CInt {
        var result: Result<CInt, SystemError> = .failure(.noEntry)
        state.withLock { state in
            var inode = start
            if access == .path, let error = state.openErrors[path] {
                result = .failure(error)
                return
            }
            guard state.descriptors.count < state.descriptorLimit else {
                result = .failure(.tooManyDescriptors)
                return
            }
            if access == .path { state.opens += 1 }
            var rest = Array(path.split(separator: "/").map(String.init).reversed())
            while let name = rest.popLast() {
                if access == .path { state.steps += 1 }
                if state.inodes[inode]?.isUnsearchable == true {
                    result = .failure(.noAccess)
                    return
                }
                if name == "." { continue }
                guard let next = state.inodes[inode]?.children[name] else { return }
                if let target = state.targets[next] {
                    rest += target.split(separator: "/").map(String.init).reversed()
                    inode = 1
                    continue
                }
                guard state.inodes[next]?.status.kind == .directory else {
                    result = .failure(.notDirectory)
                    return
                }
                if state.inodes[next]?.isMountRoot == true {
                    result = .failure(.crossesDevice)
                    return
                }
                inode = next
            }
            if access == .reading, state.inodes[inode]?.isUnreadable == true {
                result = .failure(.noAccess)
                return
            }
            let descriptor = state.nextDescriptor
            state.nextDescriptor += 1
            state.descriptors[descriptor] = inode
            state.inodes[inode]?.opened += 1
            if access == .reading {
                state.listings[descriptor] = state.inodes[inode]?.children.keys.sorted() ?? []
            }
            result = .success(descriptor)
        }
        return try result.get()
    }

    func close(_ directory: CInt) {
        state.withLock { state in
            guard let inode = state.descriptors.removeValue(forKey: directory) else { fatalError("not open") }
            state.listings[directory] = nil
            state.inodes[inode]?.opened -= 1
            PlayedKernel.collect(inode, &state)
        }
    }

    func status(of name: UnsafePointer<CChar>, in directory: CInt) throws(SystemError) -> KernelStatus {
        let name = String(cString: name)
        var error = SystemError.noEntry
        let found: KernelStatus? = state.withLock { state in
            state.looks += 1
            state.now += state.costOfLook
            if let failure = state.statusErrors[name] {
                error = failure
                return nil
            }
            guard let parent = state.descriptors[directory] else { return nil }
            if !name.isEmpty, state.inodes[parent]?.isUnsearchable == true {
                error = .noAccess
                return nil
            }
            let isItself = name.isEmpty || name == "."
            guard let inode = isItself ? parent : state.inodes[parent]?.children[name],
                let entry = state.inodes[inode]
            else { return nil }
            var file = entry.status
            let isWithin = state.isUnstableWithin || state.isUnstableByOpening
            if inode == state.unstableInode, state.unstableLooks > 0, isItself || !isWithin {
                let number = state.isUnstableByOpening ? Int(directory) : state.unstableLooks
                file.inode = UInt64(1 << 40 + number)
                state.unstableLooks -= 1
            }
            return KernelStatus(file: file, isMountRoot: !isItself && entry.isMountRoot)
        }
        guard let found else { throw error }
        return found
    }

    func readSymlink(
        _ name: UnsafePointer<CChar>, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let name = String(cString: name)
        let target = state.withLock { state in
            state.descriptors[directory].flatMap { state.inodes[$0]?.children[name] }.flatMap { state.targets[$0] }
        }
        guard let target else { throw .invalid }
        buffer.copyBytes(from: Array(target.utf8))
        return target.utf8.count
    }

    func readEntries(of directory: CInt, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        state.withLock { state in
            var offset = 0
            while let name = state.listings[directory]?.first {
                let length = (19 + name.utf8.count + 8) / 8 * 8
                guard offset + length <= buffer.count else { break }
                state.listings[directory]?.removeFirst()
                for index in 0..<length { buffer[offset + index] = 0 }
                buffer.storeBytes(of: UInt16(length), toByteOffset: offset + 16, as: UInt16.self)
                for (index, byte) in name.utf8.enumerated() { buffer[offset + 19 + index] = byte }
                offset += length
            }
            return offset
        }
    }

    func addWatch(on directory: CInt, mask: InotifyMask) throws(SystemError) -> Int32 {
        var result: Result<Int32, SystemError> = .failure(.noEntry)
        state.withLock { state in
            guard let inode = state.descriptors[directory] else { return }
            if let watch = state.inodes[inode]?.watch {
                let old = mask.contains(.addToMask) ? state.inodes[inode]?.mask ?? [] : []
                state.inodes[inode]?.mask = old.union(mask)
                result = .success(watch)
                return
            }
            guard state.watches.count < state.watchLimit else {
                result = .failure(.noSpace)
                return
            }
            let watch = state.nextWatch
            state.nextWatch += 1
            state.watches[watch] = inode
            state.mostWatches = max(state.mostWatches, state.watches.count)
            state.inodes[inode]?.watch = watch
            state.inodes[inode]?.mask = mask
            result = .success(watch)
        }
        return try result.get()
    }

    func removeWatch(_ watch: Int32) throws(SystemError) {
        let existed = state.withLock { state in
            state.removedWatches.append(watch)
            guard let inode = state.watches.removeValue(forKey: watch) else { return false }
            state.inodes[inode]?.watch = nil
            state.queue.append(Event(watch: watch, mask: .ignored))
            return true
        }
        if !existed { throw .invalid }
    }

    func fileSystemType(of directory: CInt) -> FileSystemType? { state.withLock { $0.fileSystemType } }

    func userWatchLimit() -> Int? { state.withLock { $0.userWatchLimit } }

    func haveMountsChanged() -> Bool { false }

    func mounts() throws(SystemError) -> Set<Mount> {
        if let error = state.withLock({ $0.mountsError }) { throw error }
        return state.withLock { state in
            var mounts: Set<Mount> = []
            var stack: [(UInt64, String)] = [(1, "")]
            while let (inode, path) = stack.popLast() {
                guard let entry = state.inodes[inode] else { continue }
                if entry.isMountRoot { mounts.insert(Mount(number: Int(inode), path: Array(path.utf8))) }
                for (name, child) in entry.children { stack.append((child, path + "/" + name)) }
            }
            return mounts
        }
    }

    let readsAccessLists = true

    func accessList(of name: UnsafePointer<CChar>, in directory: CInt, owner: UInt32) -> AccessListID {
        let name = String(cString: name)
        return state.withLock { state in
            guard let parent = state.descriptors[directory],
                let inode = name.isEmpty ? parent : state.inodes[parent]?.children[name]
            else { return .none }
            return state.inodes[inode]?.accessList ?? .none
        }
    }

    func readExtras(
        of name: UnsafePointer<CChar>, kind: FileKind, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let name = String(cString: name)
        let result: Result<[UInt8], SystemError> = state.withLock { state in
            guard let parent = state.descriptors[directory],
                let inode = name.isEmpty ? parent : state.inodes[parent]?.children[name]
            else { return .failure(.noEntry) }
            state.beforeExtras?(&state)
            if let error = state.inodes[inode]?.extrasError { return .failure(error) }
            let extras = state.inodes[inode]?.extras ?? []
            return .success(extras)
        }
        let extras = try result.get()
        buffer.copyBytes(from: extras)
        return extras.count
    }

    /// Lets go of an inode that nothing names or holds, as the kernel evicts it: its watch ends.
    private static func collect(_ inode: UInt64, _ state: inout State) {
        guard let entry = state.inodes[inode], entry.status.links == 0, entry.opened == 0 else { return }
        if let watch = entry.watch {
            state.watches[watch] = nil
            state.queue.append(Event(watch: watch, mask: .deleteSelf))
            state.queue.append(Event(watch: watch, mask: .ignored))
        }
        state.inodes[inode] = nil
    }

    // MARK: The test's side: what programs do

    private static func locate(_ path: String, _ state: State) -> (parent: UInt64, name: String, inode: UInt64?) {
        let names = path.split(separator: "/").map(String.init)
        var parent: UInt64 = 1
        for name in names.dropLast() {
            guard let next = state.inodes[parent]?.children[name] else { fatalError("no such directory: \(path)") }
            parent = next
        }
        let name = names.last ?? ""
        return (parent, name, name.isEmpty ? 1 : state.inodes[parent]?.children[name])
    }

    private static func tell(
        _ directory: UInt64, _ mask: InotifyMask, _ name: String, cookie: UInt32 = 0, _ state: inout State
    ) {
        guard !state.isQuiet, let watch = state.inodes[directory]?.watch,
            state.inodes[directory]?.mask.isDisjoint(with: mask.subtracting(.isDirectory)) == false
        else { return }
        state.queue.append(Event(watch: watch, mask: mask, cookie: cookie, name: name))
    }

    private static func touch(_ inode: UInt64, _ state: inout State) {
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
            PlayedKernel.tell(
                place.parent, kind == .directory ? [.create, .isDirectory] : .create, place.name, &state)
        }
    }

    func symlink(_ path: String, to target: String) {
        create(path, .symlink)
        state.withLock { state in
            if let inode = PlayedKernel.locate(path, state).inode { state.targets[inode] = target }
        }
    }

    /// Makes changes that are told to nobody.
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
            PlayedKernel.tell(place.parent, .modify, place.name, &state)
        }
    }

    /// Sets the extended attributes, with a mode and a list of who may read them; `ticks` says whether the time of change has gone on since the change before.
    func setExtras(
        _ path: String, _ attributes: [String: String], mode: UInt16? = nil, list: AccessListID? = nil,
        ticks: Bool = true
    ) {
        let extras = ExtraAttributes(attributes.map { (Array($0.key.utf8), Array($0.value.utf8)) })
        state.withLock { state in
            let place = PlayedKernel.locate(path, state)
            guard let inode = place.inode else { fatalError("no such file: \(path)") }
            if ticks { state.time += 1 }
            state.inodes[inode]?.extras = extras.bytes
            if let mode { state.inodes[inode]?.status.mode = mode }
            if let list { state.inodes[inode]?.accessList = list }
            state.inodes[inode]?.status.changed = Timestamp(nanoseconds: state.time)
            let isDirectory: InotifyMask = state.inodes[inode]?.status.kind == .directory ? .isDirectory : []
            PlayedKernel.tell(place.parent, isDirectory.union(.attributes), place.name, &state)
            if !isDirectory.isEmpty { PlayedKernel.tell(inode, isDirectory.union(.attributes), "", &state) }
        }
    }

    /// Has the extended attributes of a file fail to be read; nil for no more.
    func failExtras(_ path: String, _ error: SystemError?) {
        state.withLock { state in
            guard let inode = PlayedKernel.locate(path, state).inode else { fatalError("no such file: \(path)") }
            state.inodes[inode]?.extrasError = error
        }
    }

    func link(_ old: String, _ new: String) {
        state.withLock { state in
            guard let inode = PlayedKernel.locate(old, state).inode else { fatalError("no such file: \(old)") }
            let place = PlayedKernel.locate(new, state)
            state.inodes[inode]?.status.links += 1
            state.inodes[place.parent]?.children[place.name] = inode
            PlayedKernel.touch(place.parent, &state)
            PlayedKernel.tell(place.parent, .create, place.name, &state)
        }
    }

    func remove(_ path: String) {
        state.withLock { state in
            let place = PlayedKernel.locate(path, state)
            guard let inode = place.inode else { fatalError("no such file: \(path)") }
            let isDirectory = state.inodes[inode]?.status.kind == .directory
            state.inodes[place.parent]?.children[place.name] = nil
            PlayedKernel.touch(place.parent, &state)
            PlayedKernel.tell(place.parent, isDirectory ? [.delete, .isDirectory] : .delete, place.name, &state)
            PlayedKernel.unlink(inode, &state)
        }
    }

    private static func unlink(_ inode: UInt64, _ state: inout State) {
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
            PlayedKernel.tellMove(inode, from, to, &state)
            if let replaced = to.inode { PlayedKernel.unlink(replaced, &state) }
        }
    }

    func exchange(_ a: String, _ b: String) {
        state.withLock { state in
            let (from, to) = (PlayedKernel.locate(a, state), PlayedKernel.locate(b, state))
            guard let first = from.inode, let second = to.inode else { fatalError("no such file") }
            state.inodes[from.parent]?.children[from.name] = second
            state.inodes[to.parent]?.children[to.name] = first
            PlayedKernel.tellMove(first, from, to, &state)
            PlayedKernel.tellMove(second, to, from, &state)
        }
    }

    private static func tellMove(
        _ inode: UInt64, _ from: (parent: UInt64, name: String, inode: UInt64?),
        _ to: (parent: UInt64, name: String, inode: UInt64?), _ state: inout State
    ) {
        touch(from.parent, &state)
        touch(to.parent, &state)
        state.time += 1
        state.inodes[inode]?.status.changed = Timestamp(nanoseconds: state.time)
        let kind: InotifyMask = state.inodes[inode]?.status.kind == .directory ? .isDirectory : []
        tell(from.parent, kind.union(.movedFrom), from.name, cookie: state.nextCookie, &state)
        tell(to.parent, kind.union(.movedTo), to.name, cookie: state.nextCookie, &state)
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
            PlayedKernel.tell(place.parent, [.attributes, .isDirectory], place.name, &state)
            PlayedKernel.tell(inode, [.attributes, .isDirectory], "", &state)
        }
    }

    /// What lies at a path; nil for nothing.
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

    // MARK: The test's side: how the events are read

    /// Loses everything that is queued, as the kernel does when the queue is full.
    func overflow() {
        state.withLock { $0.queue = [Event(watch: -1, mask: .overflow)] }
    }

    /// Loses the last queued events and puts the overflow in their place.
    func overflow(after kept: Int) {
        state.withLock { $0.queue = Array($0.queue.prefix(kept)) + [Event(watch: -1, mask: .overflow)] }
    }

    /// The program is put off before the last queued event, the second half of a rename.
    func interrupt() { state.withLock { state in state.unfinished += [state.queue.removeLast()] } }

    func finishRenames(in directory: CInt) {
        state.withLock { state in
            state.awaited += 1
            state.queue += state.unfinished
            if let readable = state.readable { state.readable = readable + state.unfinished.count }
            state.unfinished = []
        }
    }

    /// Changes the order of two queued events.
    func swapEvents(_ a: Int, _ b: Int) { state.withLock { $0.queue.swapAt(a, b) } }

    func advance(_ nanoseconds: UInt64) { state.withLock { $0.now += nanoseconds } }

    /// Everything below a directory, by path; as it is for the watcher, to which some may be closed, or as it is.
    func contents(below path: String, asSeen: Bool = true) -> [[UInt8]: FileStatus] {
        state.withLock { state in
            guard let root = PlayedKernel.locate(path, state).inode else { return [:] }
            var found: [[UInt8]: FileStatus] = [:]
            var stack: [(UInt64, String)] = [(root, "")]
            while let (inode, prefix) = stack.popLast() {
                guard let directory = state.inodes[inode],
                    !asSeen || !(directory.isUnreadable || directory.isUnsearchable)
                else { continue }
                for (name, child) in directory.children {
                    guard let entry = state.inodes[child] else { continue }
                    found[Array((prefix + name).utf8)] = entry.status
                    if !entry.isMountRoot { stack.append((child, prefix + name + "/")) }
                }
            }
            return found
        }
    }

    /// The same without what nobody can hear of: one that may not read a directory cannot watch it, and is not told when its
    /// times and its links change.
    func heard(_ contents: [[UInt8]: FileStatus]) -> [[UInt8]: FileStatus] {
        state.withLock { state in
            var contents = contents
            for (name, status) in contents where status.kind == .directory {
                guard let inode = state.inodes[status.inode], inode.isUnreadable || inode.isUnsearchable else {
                    continue
                }
                contents[name]?.modified = Timestamp(nanoseconds: 0)
                contents[name]?.changed = Timestamp(nanoseconds: 0)
                contents[name]?.links = 0
            }
            return contents
        }
    }
}
