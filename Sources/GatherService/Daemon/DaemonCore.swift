// The parts of a running daemon on its event loop: the engine, the server, and the configuration in force.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import FileWatching
import GatherProtocol
import Glibc
import LinuxSystem
import Logging
import Metadata
import NIOCore
import NIOPosix
import SystemPackage
import Varlink

/// A running daemon on its event loop.
final class DaemonCore {
    private let options: DaemonOptions
    private let observer: any DaemonObserver
    private let loop: any EventLoop
    private var logger: Logger
    private var configuration: DaemonConfiguration
    /// Whether users other than root and the daemon's own are served.
    private let isShared: Bool
    /// Refused users that the log has named.
    private var refusedUsers: Set<UInt32> = []
    /// The state directory; nil if no state is kept.
    private let state: StateDirectory?
    private let runtime: RuntimeContainers
    let engine: Engine
    private let pool: NIOThreadPool
    /// The limit of open descriptors of the process.
    private let descriptors: Int
    private var server: VarlinkServer?
    /// Whether the socket is open. A start that fails before that logs no end of a service.
    private var isServing = false
    private var heartbeat: RepeatedTask?

    /// Reads the configuration and starts to watch. Serves no caller yet.
    init(options: DaemonOptions, observer: any DaemonObserver, logger: Logger, loop: any EventLoop) throws {
        self.options = options
        self.observer = observer
        self.loop = loop
        self.logger = logger
        descriptors = try OpenFiles.raiseLimitToEnough()
        if case .path(let path, let isSystem) = options.socket {
            try SocketPlace(
                path: path, runtimeDirectory: isSystem ? nil : options.runtimeDirectory
            ).check()
        }
        let unwritable: SystemError?
        (state, unwritable) = try DaemonCore.openState(options.stateDirectory)
        if let unwritable, let path = options.stateDirectory {
            self.logger.error(
                "the state directory \(path) cannot be written: \(unwritable); gatherd serves without saving, and its next start reads all containers again; make the directory writable and restart gatherd",
                metadata: ["message-id": "state-unsaved", "path": "\(path)", "error": "\(unwritable)"])
        }
        runtime = RuntimeContainers(stateDirectory: options.stateDirectory)
        let containers: [ContainerConfiguration]
        (configuration, containers) = try DaemonCore.read(options, runtime, self.logger)
        isShared = options.socket.isShared(namesGroup: configuration.namesSocketGroup)
        let syncUser = isShared ? AccountNames.userID(named: configuration.syncUser) : nil
        self.logger.logLevel = configuration.logLevel
        var settings = WatchSettings()
        settings.watches = options.watches
        settings.descends = options.descends
        settings.pollInterval = configuration.pollInterval
        settings.watchShare = configuration.watchShare
        settings.auditInterval = options.watches ? configuration.auditInterval : 0
        settings.auditShare = configuration.auditShare
        settings.hasRegularIterations = observer.heartbeat != nil
        pool = NIOThreadPool(numberOfThreads: DaemonCore.workers)
        var saved = RecoveredState()
        let boot = PersistentStore.currentBoot
        // Without a lock no state is read either: new identifiers could not be told from saved ones.
        let files = state.map { PersistentFiles(stateDirectory: $0.path) }
        if let files {
            // A limit of the file size (RLIMIT_FSIZE) must be an error of write(2), not the end of the process.
            signal(SIGXFSZ, SIG_IGN)
            saved = StateRecovery.load(files, containers, boot: boot)
        }
        for note in saved.notes { self.logger.warning("\(note)", metadata: ["message-id": "state-set-aside"]) }
        let handover =
            observer.keepsDescriptors && files != nil && options.watches
            ? Handover(options.storedDescriptors, saved, readsAccessLists: isShared) : nil
        if handover == nil { StoredDescriptor.letGo(of: options.storedDescriptors, observer) }
        if let obstacle = handover?.obstacle, !saved.containers.isEmpty {
            self.logger.notice(
                "the watches kept by the service manager cannot be used: \(obstacle); all containers are compared with the file system"
            )
        }
        let store = PersistentStore(
            files, saved, boot: boot, loop: loop, logger: self.logger, limits: options.limits,
            forceToDisk: options.forceToDisk,
            renewDirectory: { [state] () throws(SystemError) in try state?.renew() },
            failure: unwritable.map {
                PersistenceFailure(error: "\(options.stateDirectory ?? ""): \($0)", since: Timestamp.now)
            },
            willBegin: { run in handover?.memory.begin(run: run, fingerprint: handover?.fingerprint ?? 0) })
        let types = ContentTypeFiles.read(options.dataDirectories)
        if types.isEmpty, options.socket != .embedded {
            let places = options.dataDirectories.map { $0 + "/mime" }.joined(separator: ", ")
            self.logger.warning(
                "content types are unknown: the shared MIME-info database is missing (\(places)); contentType is null for every file; install shared-mime-info and restart gatherd",
                metadata: ["message-id": "content-types-missing"])
        }
        do throws(SystemError) {
            engine = try Engine(
                loop: loop, settings: settings, pool: pool, limits: options.limits, state: saved, store: store,
                snapshotInterval: .nanoseconds(Int64(clamping: configuration.snapshotInterval)),
                types: types, logger: self.logger, tellsCallersApart: isShared, accounts: options.accounts,
                handover: handover, marks: ContainerMarks(in: state?.path, loop: loop, logger: logger),
                watchMounts: options.watchMounts, watchClock: options.watchClock, zones: options.zones,
                timeOfDay: options.timeOfDay)
        } catch {
            store.abandon()
            throw StartError(startingToWatch: error)
        }
        pool.start()
        engine.access.setSyncUser(syncUser)
        for container in containers {
            let record = engine.addContainer(
                container, saved: saved.containers.removeValue(forKey: container.identifier), floor: saved.sequence,
                isStart: true)
            // If the access of the directories above was not saved, it may have changed.
            if engine.access.tellsCallersApart, !record.access.isUnsure { engine.accessChanged(record) }
        }
        if let handover {
            if !handover.useless.isEmpty { observer.letGo(handover.useless) }
            if handover.start == nil { observer.keep(handover.descriptors(events: engine.eventDescriptor)) }
        }
        engine.checkResumedWatches(ask: options.askForWatches)
        for record in engine.containers { engine.log.noteStart(of: record) }
        engine.restore(runtime, with: store)
        if engine.containers.isEmpty {
            self.logger.notice(
                "no directory is watched; add one with 'gather container add NAME DIRECTORY', or with a file in containers.d and 'gather reload'"
            )
        }
    }

    /// Opens the state directory. If it cannot be written, the daemon starts all the same, since answers do not need
    /// it.
    private static func openState(
        _ path: String?
    ) throws(ConfigurationError) -> (StateDirectory?, unwritable: SystemError?) {
        guard let path else { return (nil, nil) }
        do throws(StateDirectory.Obstacle) {
            return (try StateDirectory(path: path), nil)
        } catch {
            switch error {
            case .unusable(let error): throw error
            case .unwritable(let error): return (nil, error)
            }
        }
    }

    /// Threads for scans and background updates.
    private static let workers = Limits.scansAtOnce + Limits.updatesAtOnce

    /// Reads the configuration, and merges the containers that were added at run time. If two overlap, the latter gives
    /// way. With the containers `inForce`, this is a reload: a container that a start would leave out is then an error.
    private static func read(
        _ options: DaemonOptions, _ runtime: RuntimeContainers, _ logger: Logger,
        inForce: [ContainerConfiguration]? = nil
    ) throws(ConfigurationError) -> (DaemonConfiguration, [ContainerConfiguration]) {
        let configuration = try options.configuration(
            overlaps: inForce.map { .refusedExcept($0) } ?? .tolerated)
        for error in configuration.leftOut {
            logger.error(
                "\(error); this container is left out; correct the file, then 'gather reload'",
                metadata: ["message-id": "container-unavailable"])
        }
        var places = configuration.places
        for container in try runtime.load() {
            let place = ContainerPlace(container)
            if let inForce, places.container(container.identifier) == nil,
                let new = places.overlapping(place).map(\.container).first(where: { !inForce.contains($0) })
            {
                throw ConfigurationError(
                    new, in: configuration,
                    "it overlaps '\(container.identifier)' at \(container.path), which was added at run time; to have this "
                        + "one, first 'gather container remove \(container.identifier)'")
            }
            // One inside another waits for a file system, like a configured one. One around another would take its
            // place.
            let other =
                places.container(container.identifier)
                ?? places.overlapping(place).first {
                    ContainerConfiguration.way(from: $0.resolvedPath, to: place.resolvedPath) == nil
                }?.container
            if let other {
                logger.warning(
                    "container '\(container.identifier)', added at run time, gives way to '\(other.identifier)' at \(other.path), which overlaps it; it returns when that one is no longer configured",
                    metadata: ["container": "\(container.identifier)", "path": "\(other.path)"])
            } else if places.all.count >= options.limits.containers {
                logger.warning(
                    "container '\(container.identifier)' at \(container.path), added at run time, gives way, because there may be at most \(options.limits.containers) containers; it returns when there are fewer",
                    metadata: ["container": "\(container.identifier)", "path": "\(container.path)"])
            } else {
                places.append(place)
            }
        }
        if let inForce {
            for container in places.containers where !inForce.contains(container) {
                // A container that is there goes on.
                let isNew = !inForce.contains { $0.identifier == container.identifier }
                let other = places.containers.first { $0.isNamedLike(container) }
                guard let obstacle = (isNew ? other?.namesake : nil) ?? runtime.obstacle(to: container) else {
                    continue
                }
                throw ConfigurationError(container, in: configuration, obstacle)
            }
        }
        var containers = places.containers.filter { container in
            guard let obstacle = runtime.obstacle(to: container) else { return true }
            logger.error(
                "container '\(container.identifier)' is left out: \(obstacle)",
                metadata: [
                    "message-id": "container-unavailable", "container": "\(container.identifier)",
                    "path": "\(container.path)",
                ])
            return false
        }
        // A container comes before those inside it.
        containers.sort { $0.path.utf8.count < $1.path.utf8.count }
        return (configuration, containers)
    }

    // MARK: Serving

    /// Opens the socket. The daemon is ready when this succeeds.
    func listen() -> EventLoopFuture<Void> {
        let service = VarlinkService(
            vendor: Version.vendor, product: "gatherd", version: Version.current, url: Version.url,
            interfaces: [
                QueryInterface.interface, ContainerInterface.interface, ServiceInterface.interface,
                SyncInterface.interface,
            ],
            methodsThatNeedMore: [QueryInterface.Watch.name, SyncInterface.Attach.name])
        var limits = ProtocolLimits.ofServer
        limits.requestTime = options.limits.requestTime
        limits.connections = OpenFiles.connections(options.limits.connections, descriptors: descriptors)
        // A daemon that is not shared has one user, who may use all connections.
        if !isShared {
            limits.connectionsPerUser = limits.connections
        } else {
            limits.connectionsPerUser = OpenFiles.connectionsPerUser(
                options.limits.connectionsPerUser, of: limits.connections, wanted: options.limits.connections)
        }
        let core = NIOLoopBound(Weak(self), eventLoop: loop)
        let server = VarlinkServer(eventLoop: loop, service: service, handler: dispatcher(), limits: limits) { peer in
            core.value.core?.refusal(of: peer)
        }
        self.server = server
        let limit = descriptors
        server.acceptFailed = { [weak self] code in
            let isShort = code == EMFILE || code == ENFILE
            let remedy =
                isShort
                ? "; raise the limit of open files (\(limit) now) with LimitNOFILE= in the unit or 'ulimit -n'" : ""
            self?.logger.error(
                "connections cannot be accepted: \(String(cString: strerror(code))); new callers wait, and gatherd tries again every second\(remedy)",
                metadata: ["message-id": "connections-refused"])
        }
        let listening: EventLoopFuture<Void>
        do {
            listening = try listen(server)
        } catch {
            return loop.makeFailedFuture(error)
        }
        return listening.assumeIsolated().map { [self] in
            let waiting = engine.containers.count { engine.state(of: $0).isSettling }
            let unread =
                waiting == 0 ? "" : "; \(waiting) of them \(waiting == 1 ? "is" : "are") being read or compared first"
            isServing = true
            beginHeartbeat()
            logger.info(
                "gatherd \(Version.current) is ready and serves \(Plural.count(engine.containers.count, "container"))\(unread)",
                metadata: ["message-id": "started"])
            // After the line, so that a program that waits for this finds the line in the log.
            observer.ready(status: statusText)
        }.nonisolated()
    }

    private func listen(_ server: VarlinkServer) throws -> EventLoopFuture<Void> {
        switch options.socket {
        case .embedded: return loop.makeSucceededVoidFuture()
        case .inherited(let descriptor): return server.listen(descriptor: descriptor)
        case .path(let path, let isSystem):
            do {
                try makeSocketDirectory(for: path, isShared: isShared)
                let group = isShared ? try socketGroup(for: path, isSystem: isSystem) : nil
                return try server.listen(path: path, mode: group == nil ? 0o600 : 0o660, group: group)
            } catch let error as ConfigurationError {
                throw error
            } catch {
                throw ConfigurationError(file: path, message: "cannot listen: \(error)")
            }
        }
    }

    /// Returns the group that may connect. If it does not exist, the system's daemon serves root alone, and a daemon
    /// that was told to share its socket does not start.
    private func socketGroup(for path: String, isSystem: Bool) throws(ConfigurationError) -> UInt32? {
        let name = configuration.socketGroup
        if let group = AccountNames.groupID(named: name) { return group }
        guard isSystem else {
            throw ConfigurationError(
                file: options.configurationFile ?? path,
                message:
                    "socket-group: there is no group '\(name)', so the socket cannot be shared; make it (groupadd \(name)), or take socket-group out"
            )
        }
        logger.warning(
            "the group '\(name)' of socket-group does not exist, so only root may connect; make it (groupadd --system \(name)) and restart gatherd",
            metadata: ["path": "\(path)"])
        return nil
    }

    /// Returns the error for a peer that is not served; nil for one that is. The log names each refused user once.
    private func refusal(of peer: PeerCredentials) -> VarlinkError? {
        if isShared || AccessPolicy.isOperator(peer) { return nil }
        if refusedUsers.count < DaemonCore.refusedUsersNamed, refusedUsers.insert(peer.userID).inserted {
            let user = peer.userID == UnmappedIDs.none ? "a user of another user namespace" : "user \(peer.userID)"
            logger.warning(
                "refused a connection of \(user), process \(peer.processID): this gatherd serves root and user \(geteuid()) alone; to share it with a group, set socket-group in gatherd.toml and restart gatherd",
                metadata: ["user": "\(peer.userID)"])
        }
        return .permissionDenied
    }

    /// The most refused users that the log names.
    private static let refusedUsersNamed = 16

    /// Serves a connected socket, and takes ownership of it.
    func attach(descriptor: CInt) {
        guard let server else {
            Glibc.close(descriptor)
            return
        }
        server.attach(descriptor: descriptor).whenFailure { _ in }
    }

    private func makeSocketDirectory(for path: String, isShared: Bool) throws {
        let directory = FilePath(path).removingLastComponent().string
        guard !directory.isEmpty, mkdir(directory, isShared ? 0o755 : 0o700) != 0 else { return }
        switch errno {
        case EEXIST: return
        case ENOENT: try Directory.makeWithParents(directory)
        default: throw Errno(rawValue: errno)
        }
    }

    private func dispatcher() -> Dispatcher {
        let core = NIOLoopBound(Weak(self), eventLoop: loop)
        return Dispatcher(
            query: QueryHandler(engine: engine),
            container: ContainerHandler(engine: engine, runtime: runtime),
            service: ServiceHandler(
                engine: engine, started: Timestamp.now,
                connections: { user in
                    guard let server = core.value.core?.server else { return 0 }
                    return user.map { server.connectionCount(of: $0) } ?? server.connectionCount
                },
                reload: { () throws(ConfigurationError) in try core.value.core?.reload() }),
            sync: SyncHandler(engine: engine))
    }

    private final class Weak {
        weak var core: DaemonCore?
        init(_ core: DaemonCore) { self.core = core }
    }

    /// Stops serving and watching.
    func close() -> EventLoopFuture<Void> {
        if isServing {
            logger.info(
                "gatherd is stopping; live queries that reconnect continue from their clocks",
                metadata: ["message-id": "stopping"])
        }
        observer.stopping()
        heartbeat?.cancel()
        let closed = server?.close() ?? loop.makeSucceededVoidFuture()
        let saved = engine.close()
        let (pools, loop) = ([pool, engine.workload.costlyPool, engine.workload.longPool], loop)
        // A look-up of account names may hang, so its thread is not waited for.
        engine.workload.namingPool.shutdownGracefully { _ in }
        return closed.and(saved).flatMap { _ in
            let ends = pools.map { pool in
                let promise = loop.makePromise(of: Void.self)
                pool.shutdownGracefully { _ in promise.succeed() }
                return promise.futureResult
            }
            return EventLoopFuture.andAllComplete(ends, on: loop)
        }
    }

    // MARK: The service manager

    private var statusText: String {
        let live = engine.subscriptions.count
        return "\(Plural.count(engine.itemCount, "item")) in \(Plural.count(engine.containers.count, "container")), "
            + Plural.count(live, "live query", "live queries")
    }

    /// Starts the watchdog's heartbeat, twice as often as required, on the event loop, so that a loop that hangs is
    /// noticed. The watcher's periodic work is done at the same moment, so that nothing else wakes an idle daemon.
    private func beginHeartbeat() {
        guard let interval = observer.heartbeat else { return }
        let core = NIOLoopBound(self, eventLoop: loop)
        let half = TimeAmount(interval / 2)
        heartbeat = loop.scheduleRepeatedTask(initialDelay: half, delay: half) { _ in
            core.value.observer.alive()
            core.value.observer.status(core.value.statusText)
            core.value.engine.runIteration()
        }
    }

    // MARK: Reload

    /// Reads the files again. If this throws, the running configuration stays in force.
    func reload() throws(ConfigurationError) {
        observer.reloading()
        defer { observer.ready(status: statusText) }
        let old = configuration
        do {
            let (read, containers) = try DaemonCore.read(
                options, runtime, logger, inForce: engine.containers.map(\.configuration))
            configuration = read
            engine.access.setSyncUser(isShared ? AccountNames.userID(named: configuration.syncUser) : nil)
            engine.watcher.set(pollInterval: configuration.pollInterval, watchShare: configuration.watchShare)
            engine.watcher.setAudit(interval: configuration.auditInterval, share: configuration.auditShare)
            apply(containers)
            // A loop iteration makes the settings take effect.
            engine.runIteration()
        } catch {
            logger.error(
                "the configuration was not reloaded: \(error); the previous one stays in force; correct the file, then 'gather reload'",
                metadata: ["message-id": "reload-refused"])
            throw error
        }
        logger.logLevel = configuration.logLevel
        engine.logger.logLevel = configuration.logLevel
        engine.forgetNames()
        sayWhatNeedsARestart(old)
        logger.info(
            "the configuration was reloaded; gatherd serves \(Plural.count(engine.containers.count, "container"))",
            metadata: ["message-id": "configuration-reloaded"])
    }

    private func sayWhatNeedsARestart(_ old: DaemonConfiguration) {
        let keys = [
            (
                "socket-group",
                old.socketGroup != configuration.socketGroup
                    || old.namesSocketGroup != configuration.namesSocketGroup
            ),
            ("snapshot-interval", old.snapshotInterval != configuration.snapshotInterval),
        ].filter(\.1).map(\.0)
        guard !keys.isEmpty else { return }
        logger.warning(
            "the change of \(keys.joined(separator: " and ")) takes effect when gatherd is restarted")
    }

    /// Reloads at SIGHUP. The log has the error.
    func reloadAtSignal() { try? reload() }

    /// Removes and adds containers that differ. A container with the same description is not touched.
    private func apply(_ wanted: [ContainerConfiguration]) {
        for record in engine.containers where !wanted.contains(record.configuration) {
            let same = wanted.first { $0.identifier == record.identifier }
            if let same, engine.setPackages(of: record, by: same) || engine.setSharing(of: record, by: same) {
                continue
            }
            engine.removeContainer(record, forgetsMark: same == nil)
        }
        for container in wanted where engine.containers.named(container.identifier) == nil {
            engine.addContainer(container)
        }
    }
}
