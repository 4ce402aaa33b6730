// The mounts that may hang, and the processes that make the calls on them.
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinuxSystem
import Metadata
import Synchronization

/// A mount that does not answer, or answers with an error that is the mount's own.
package struct UnreachableMount: Hashable, Sendable {
    package var mount: Mount
    package var error: SystemError
}

/// Sends each call that may wait for the server of a mount to a process that makes calls on that mount only. From any thread.
final class MountAgents: Sendable {
    /// Where a call is to be made.
    struct Place {
        /// Nil where none can be started now.
        let agent: MountAgent?
        let mount: Mount
        /// A descriptor of the agent's own; nil where the name is an absolute path.
        var directory: CInt?
        /// The absolute path, where the call is on a mount point.
        var path: [CChar]?
    }

    /// A directory that an agent has open, by the number that stands for it in this process.
    struct Route {
        var agent: MountAgent
        var mount: Mount
        var directory: CInt
        var path: [UInt8]
    }

    struct Reached {
        var agent: MountAgent?
        /// Why the mount counts as unreachable.
        var error: SystemError?
        /// The status of the mount point that came last, and whether it came late and was not used.
        var status: EntryStatus?
        var isLate = false
    }

    struct State {
        var mounts: [[UInt8]: Mount] = [:]
        /// Local mounts on top of or below those.
        var coverings: [Mount] = []
        /// The paths of all mounts in the table.
        var paths: Set<[UInt8]> = []
        var reached: [Mount: Reached] = [:]
        var routes: [CInt: Route] = [:]
        var wake: @Sendable () -> Void = {}
        var isInterrupted = false
    }

    private let inotify: CInt
    private let timeLimit: UInt64
    private let patience: UInt64
    /// How many processes there are at once. One that is not in use is ended for another mount. If all are in use, further
    /// mounts count as silent.
    private let limit: Int
    let state = Mutex(State())
    /// Whether there is such a mount, or a directory of one is open.
    private let active = Atomic<Bool>(false)
    /// How many directories of such mounts are open.
    private let routeCount = Atomic<Int>(0)
    /// A bit for the hash of the last name of each such mount's path. Most names have no bit here, and need no lock.
    private let names = Atomic<UInt64>(0)
    private let rootIsRemote = Atomic<Bool>(false)
    let changed = Atomic<UInt64>(0)
    let late = Atomic<Bool>(false)
    private let changes: MountChanges?

    init(inotify: CInt, timeLimit: UInt64, patience: UInt64, limit: Int) {
        self.limit = limit
        self.inotify = inotify
        self.timeLimit = timeLimit
        self.patience = patience
        changes = try? MountChanges()
        refresh()
    }

    var isActive: Bool { active.load(ordering: .relaxed) }

    /// Whether the root of all directories is on a server. No process of this machine works without that, so it has no agent.
    var isRootRemote: Bool { rootIsRemote.load(ordering: .relaxed) }

    /// Changes whenever ``unreachable`` may have.
    var version: UInt64 { changed.load(ordering: .acquiring) }

    /// The mounts that are in use and do not answer.
    var unreachable: [UnreachableMount] {
        state.withLock { state in
            state.reached.compactMap { mount, reached in
                reached.error.map { UnreachableMount(mount: mount, error: $0) }
            }
        }
    }

    func onAnswer(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    // MARK: The table

    func refreshIfChanged() {
        if changes?.take() != false { refresh() }
    }

    /// Reads the table if it lacks a mount point. A rename of a directory above a mount point changes the path in the table, but
    /// `poll(2)` reports no change. Returns whether the table was read.
    func refreshIfUnknown(_ name: UnsafePointer<CChar>, in directory: CInt) -> Bool {
        guard let path = path(of: name, in: directory), !state.withLock({ $0.paths.contains(path) }) else {
            return false
        }
        refresh()
        return true
    }

    func refresh() {
        if let mounts = try? MountTable.read() { update(mounts) }
    }

    func update(_ table: Set<Mount>) {
        var mounts: [[UInt8]: Mount] = [:]
        var names: UInt64 = 0
        // If several mounts are on one path, the last one counts.
        for mount in table.sorted(by: { $0.number < $1.number }) where mount.mayHang && mount.path.count > 1 {
            mounts[mount.path] = mount
            names |= MountAgents.bit(
                MountAgents.hash(mount.path[((mount.path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...]))
        }
        let coverings = table.filter { mount in
            !mount.mayHang && mounts.keys.contains { MountPaths.holds($0, mount.path) }
        }
        let root = table.filter { $0.path == [UInt8(ascii: "/")] }.max { $0.number < $1.number }
        let paths = Set(table.map(\.path))
        rootIsRemote.store(root?.mayHang == true, ordering: .relaxed)
        // Agents are let go of outside the lock, since that waits for their threads.
        let gone = state.withLock { state -> [Reached] in
            (state.mounts, state.coverings, state.paths) = (mounts, Array(coverings), paths)
            let gone = state.reached.filter { mounts[$0.key.path] != $0.key }
            for mount in gone.keys { state.reached[mount] = nil }
            self.names.store(names, ordering: .relaxed)
            active.store(!mounts.isEmpty || !state.routes.isEmpty, ordering: .relaxed)
            return Array(gone.values)
        }
        if gone.contains(where: { $0.error != nil }) { changed.add(1, ordering: .releasing) }
    }

    private static func bit(_ hash: UInt64) -> UInt64 { 1 << (hash >> 58) }

    private static func hash(_ name: some Sequence<UInt8>) -> UInt64 {
        FNV1a.value(of: name)
    }

    // MARK: Where a call is made

    /// The place of an entry of an open directory; nil where no mount that may hang is concerned.
    func place(of name: UnsafePointer<CChar>, in directory: CInt) -> Place? {
        let bit = MountAgents.bit(MountAgents.hash(MountAgents.bytes(of: name)))
        let isNamed = name.pointee != 0 && names.load(ordering: .relaxed) & bit != 0
        guard isNamed || routeCount.load(ordering: .relaxed) > 0 else { return nil }
        let route = route(of: directory)
        if isNamed, let path = path(of: name, in: directory) {
            if let mount = state.withLock({ $0.mounts[path] }) {
                let agent = agent(for: mount)
                return Place(agent: agent, mount: mount, path: path.map(CChar.init(bitPattern:)) + [0])
            }
        }
        return route.map { Place(agent: $0.agent, mount: $0.mount, directory: $0.directory) }
    }

    /// The path of an entry of an open directory; nil where the directory has none.
    private func path(of name: UnsafePointer<CChar>, in directory: CInt) -> [UInt8]? {
        guard let above = path(ofOpen: directory) ?? MountAgents.path(of: directory) else { return nil }
        return (above == [UInt8(ascii: "/")] ? above : above + [UInt8(ascii: "/")]) + MountAgents.bytes(of: name)
    }

    /// The mount on which an absolute path lies, where it may hang, and the path as the agent is to open it.
    func place(ofPath path: UnsafePointer<CChar>) -> Place? {
        refreshIfChanged()
        guard isActive, let resolved = resolvedPath(path) else { return nil }
        let mounts = state.withLock { $0.mounts }
        guard let mount = MountPaths.innermost(of: mounts.values, holding: resolved) else { return nil }
        return Place(agent: agent(for: mount), mount: mount, path: resolved.map(CChar.init(bitPattern:)) + [0])
    }

    /// The path with its symlinks followed, up to the first mount that may hang; nil where it does not exist before that.
    func resolvedPath(_ path: UnsafePointer<CChar>) -> [UInt8]? {
        MountPaths.resolve(Array(MountAgents.bytes(of: path)), Set(state.withLock { $0.mounts }.keys))
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text, count: strlen(text))
    }

    /// The path of an open directory, by its link in `/proc`, which asks no file system.
    static func path(of directory: CInt) -> [UInt8]? {
        withUnsafeTemporaryAllocation(byteCount: LinuxKernel.longestPath, alignment: 1) { buffer in
            guard let count = try? Entry.readSymlink("/proc/self/fd/\(directory)", into: buffer), count < buffer.count
            else { return nil }
            return Array(buffer[..<count])
        }
    }

    /// The agent of a mount, started where it has none; nil where that fails, or all are in use.
    private func agent(for mount: Mount) -> MountAgent? {
        let (agent, gone) = state.withLock { state -> (MountAgent?, MountAgent?) in
            guard !state.isInterrupted else { return (nil, nil) }
            let known = state.reached[mount]?.agent
            if let known, !known.isGone { return (known, nil) }
            state.reached[mount, default: Reached()].agent = nil
            var gone = known
            if state.reached.values.count(where: { $0.agent != nil }) >= limit {
                guard let idle = MountAgents.idle(in: state) else { return (nil, known) }
                gone = state.reached[idle]?.agent
                state.reached[idle]?.agent = nil
            }
            let agent = try? MountAgent(inotify: inotify, limit: timeLimit, patience: patience) { [weak self] in
                self?.answered()
            }
            state.reached[mount]?.agent = agent
            return (agent, gone)
        }
        // Let go of outside the lock, since that waits for its thread.
        withExtendedLifetime(gone) {}
        return agent
    }

    /// A mount whose agent has no directory open and no call that was given up.
    private static func idle(in state: State) -> Mount? {
        let used = Set(state.routes.values.map { ObjectIdentifier($0.agent) })
        return state.reached.first { _, reached in
            guard let agent = reached.agent else { return false }
            return !agent.isUnanswered && !used.contains(ObjectIdentifier(agent))
        }?.key
    }

    /// Ends all calls that wait, and lets no more begin.
    func interrupt() {
        let agents = state.withLock { state in
            state.isInterrupted = true
            return state.reached.values.compactMap(\.agent) + state.routes.values.map(\.agent)
        }
        for agent in agents { agent.interrupt() }
    }

    // MARK: Directories that agents have open

    func keep(_ directory: CInt, at path: [UInt8], on place: Place) throws(SystemError) -> CInt {
        guard let agent = place.agent else { throw .timedOut }
        let number: CInt
        do throws(SystemError) {
            // A number that nothing else has, and on which a call that is made by mistake fails.
            number = try Entry.openForReading("/dev/null").release()
        } catch {
            agent.close(directory)
            throw error
        }
        let route = Route(agent: agent, mount: place.mount, directory: directory, path: path)
        state.withLock { state in
            state.routes[number] = route
            routeCount.store(state.routes.count, ordering: .relaxed)
        }
        active.store(true, ordering: .relaxed)
        return number
    }

    /// The path of a directory that an agent has open.
    func path(ofOpen directory: CInt) -> [UInt8]? { route(of: directory)?.path }

    /// The number of the mount on which such a directory lies; nil for another directory.
    func mount(ofOpen directory: CInt) -> Int? { route(of: directory)?.mount.number }

    /// The route of a directory that an agent has open. Takes no lock while there is none: each crawled directory asks.
    private func route(of directory: CInt) -> Route? {
        guard routeCount.load(ordering: .relaxed) > 0 else { return nil }
        return state.withLock { $0.routes[directory] }
    }

    /// The type of the file system on which such a directory lies, by the table of mounts; nil if that does not tell.
    func fileSystemType(ofOpen directory: CInt) -> FileSystemType? {
        state.withLock { state in
            guard let route = state.routes[directory],
                !state.coverings.contains(where: { MountPaths.holds($0.path, route.path) })
            else { return nil }
            return FileSystemType(inMountTable: route.mount.type)
        }
    }

    func forget(_ directory: CInt) {
        guard routeCount.load(ordering: .relaxed) > 0 else { return }
        let route = state.withLock { state in
            defer { routeCount.store(state.routes.count, ordering: .relaxed) }
            return state.routes.removeValue(forKey: directory)
        }
        if let route { route.agent.close(route.directory) }
    }
}
