// What runs on the daemon's event loop: the engine, the server, and the configuration in force.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import Glibc
import Logging
import Metadata
import NIOCore
import NIOPosix
import SystemPackage
import Varlink

/// Everything of a running daemon, on its one event loop.
final class DaemonCore {
    private let options: DaemonOptions
    private let observer: any DaemonObserver
    private let loop: any EventLoop
    private var logger: Logger
    private var configuration: DaemonConfiguration
    /// Nil where nothing is kept.
    private let state: StateDirectory?
    private let runtime: RuntimeContainers
    let engine: Engine
    private let pool: NIOThreadPool
    /// How many descriptors the process may have.
    private let descriptors: Int
    private var server: VarlinkServer?
    private var heartbeat: RepeatedTask?

    /// Reads the configuration and begins to watch; nobody is served yet.
    init(options: DaemonOptions, observer: any DaemonObserver, logger: Logger, loop: any EventLoop) throws {
        self.options = options
        self.observer = observer
        self.loop = loop
        self.logger = logger
        descriptors = OpenFiles.raiseLimit()
        state = try options.stateDirectory.map { path throws(ConfigurationError) in try StateDirectory(path: path) }
        runtime = RuntimeContainers(stateDirectory: options.stateDirectory)
        let containers: [ContainerConfiguration]
        (configuration, containers) = try DaemonCore.read(options, runtime, self.logger)
        self.logger.logLevel = configuration.logLevel
        var settings = WatchSettings()
        settings.watches = options.watches
        settings.descends = options.descends
        settings.pollInterval = configuration.pollInterval
        settings.watchShare = configuration.watchShare
        settings.auditInterval = options.watches ? configuration.auditInterval : 0
        settings.auditShare = configuration.auditShare
        settings.hasRegularTurns = observer.heartbeat != nil
        pool = NIOThreadPool(numberOfThreads: DaemonCore.workers)
        var saved = SavedState()
        let boot = StateStore.currentBoot
        let files = options.stateDirectory.map { SavedStateFiles(stateDirectory: $0) }
        if let files {
            // A limit of the size of files is an error to be dealt with, and no reason to end.
            signal(SIGXFSZ, SIG_IGN)
            saved = StateLoader.load(files, containers, boot: boot)
        }
        for note in saved.notes { self.logger.warning("\(note)", metadata: ["message-id": "state-set-aside"]) }
        let kept =
            observer.keepsDescriptors && files != nil && options.watches
            ? KeptState(options.kept, saved, readsAccessLists: options.socket.isShared) : nil
        if kept == nil { KeptDescriptor.letGo(of: options.kept, observer) }
        if let obstacle = kept?.obstacle, !saved.containers.isEmpty {
            self.logger.notice(
                "the watches of the daemon before this one are of no use: \(obstacle); all containers are compared")
        }
        let store = StateStore(
            files, saved, boot: boot, loop: loop, logger: self.logger, limits: options.limits,
            forceToDisk: options.forceToDisk,
            willBegin: { run in kept?.memory.begin(run: run, fingerprint: kept?.fingerprint ?? 0) })
        do {
            engine = try Engine(
                loop: loop, settings: settings, pool: pool, limits: options.limits, state: saved, store: store,
                snapshotInterval: .nanoseconds(Int64(clamping: configuration.snapshotInterval)),
                types: ContentTypeFiles.read(options.dataDirectories), logger: self.logger,
                tellsCallersApart: options.socket.isShared, accounts: options.accounts, kept: kept,
                askForWatches: options.askForWatches, watchMounts: options.watchMounts)
        } catch {
            store.abandon()
            throw error
        }
        pool.start()
        for container in containers {
            let record = engine.addContainer(
                container, saved: saved.containers.removeValue(forKey: container.identifier), floor: saved.sequence)
            // What happened to the directories above is not known where they were not saved.
            if engine.tellsCallersApart, record.formerPassage == nil { engine.accessChanged(record) }
        }
        if let kept {
            if !kept.useless.isEmpty { observer.letGo(kept.useless) }
            if kept.start == nil { observer.keep(kept.descriptors(events: engine.eventDescriptor)) }
        }
        engine.goOn()
        if engine.containers.isEmpty {
            self.logger.notice(
                "no containers: add one with 'gather container add ID DIR', or a file in containers.d and a reload")
        }
    }

    /// Threads for scans that are too long for the loop.
    private static let workers = Limits.scansAtOnce

    /// The configuration, and its containers with those that were added at run time; of the latter one that overlaps gives
    /// way.
    private static func read(
        _ options: DaemonOptions, _ runtime: RuntimeContainers, _ logger: Logger
    ) throws(ConfigurationError) -> (DaemonConfiguration, [ContainerConfiguration]) {
        let configuration = try options.configuration(toleratingOverlaps: true)
        for error in configuration.leftOut {
            logger.error(
                "\(error); it is left out, until the file is mended and the configuration reloaded",
                metadata: ["message-id": "container-unavailable"])
        }
        var places = configuration.places
        for container in try runtime.load() {
            let place = ContainerPlace(container)
            // One within another waits for a file system, as a configured one does; one around it would take its place.
            let other =
                places.container(container.identifier)
                ?? places.overlapping(place).first {
                    ContainerConfiguration.way(from: $0.resolvedPath, to: place.resolvedPath) == nil
                }?.container
            if let other {
                logger.warning(
                    "container '\(container.identifier)', added at run time, gives way to '\(other.identifier)'; it comes back when that is no longer configured",
                    metadata: ["container": "\(container.identifier)", "path": "\(other.path)"])
            } else if places.all.count >= options.limits.containers {
                logger.warning(
                    "container '\(container.identifier)', added at run time, gives way, since there may be \(options.limits.containers) containers; it comes back when there are fewer",
                    metadata: ["container": "\(container.identifier)", "path": "\(container.path)"])
            } else {
                places.append(place)
            }
        }
        var containers = places.containers
        // Those that others lie in come first.
        containers.sort { $0.path.utf8.count < $1.path.utf8.count }
        return (configuration, containers)
    }

    // MARK: Serving

    /// Opens the socket; the daemon is ready when this succeeds.
    func listen() -> EventLoopFuture<Void> {
        let service = VarlinkService(
            vendor: Version.vendor, product: "gatherd", version: Version.current, url: Version.url,
            interfaces: [QueryInterface.interface, ContainerInterface.interface, ServiceInterface.interface],
            methodsThatNeedMore: [QueryInterface.Watch.name])
        var limits = ProtocolLimits.ofServer
        limits.connections = OpenFiles.connections(options.limits.connections, descriptors: descriptors)
        // A user's own daemon has no other callers, and may serve that one with all that it has.
        if !options.socket.isShared {
            limits.connectionsPerUser = limits.connections
        } else {
            limits.connectionsPerUser = options.limits.connectionsPerUser
        }
        let server = VarlinkServer(eventLoop: loop, service: service, handler: dispatcher(), limits: limits)
        self.server = server
        let listening: EventLoopFuture<Void>
        do {
            listening = try listen(server)
        } catch {
            return loop.makeFailedFuture(error)
        }
        return listening.assumeIsolated().map { [self] in
            let waiting = engine.containers.count { engine.state(of: $0).isSettling }
            let unread =
                waiting == 0 ? "" : "; \(waiting) of them to be read or compared first, and said to be live then"
            beginHeartbeat()
            observer.ready(status: statusText)
            logger.info(
                "gatherd \(Version.current) is serving \(Plural.count(engine.containers.count, "container"))\(unread)",
                metadata: ["message-id": "started"])
        }.nonisolated()
    }

    private func listen(_ server: VarlinkServer) throws -> EventLoopFuture<Void> {
        switch options.socket {
        case .embedded: return loop.makeSucceededVoidFuture()
        case .inherited(let descriptor): return server.listen(descriptor: descriptor)
        case .path(let path, let isSystem):
            do {
                try makeSocketDirectory(for: path, isSystem: isSystem)
                var group: UInt32?
                if isSystem {
                    group = AccountNames.groupID(named: configuration.socketGroup)
                    if group == nil {
                        logger.warning(
                            "there is no group '\(configuration.socketGroup)', so root alone may connect; make it (groupadd --system \(configuration.socketGroup)) and restart gatherd",
                            metadata: ["path": "\(path)"])
                    }
                }
                return try server.listen(path: path, mode: group == nil ? 0o600 : 0o660, group: group)
            } catch {
                throw ConfigurationError(file: path, message: "cannot listen: \(error)")
            }
        }
    }

    /// Serves a connected socket, which is the daemon's from now on.
    func attach(descriptor: CInt) {
        guard let server else {
            Glibc.close(descriptor)
            return
        }
        server.attach(descriptor: descriptor).whenFailure { _ in }
    }

    private func makeSocketDirectory(for path: String, isSystem: Bool) throws {
        let directory = FilePath(path).removingLastComponent().string
        guard !directory.isEmpty, mkdir(directory, isSystem ? 0o755 : 0o700) != 0 else { return }
        switch errno {
        case EEXIST: return
        case ENOENT: try StateDirectory.makeWithParents(directory)
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
                reload: { () throws(ConfigurationError) in try core.value.core?.reload() }))
    }

    private final class Weak {
        weak var core: DaemonCore?
        init(_ core: DaemonCore) { self.core = core }
    }

    /// Stops serving and watching.
    func close() -> EventLoopFuture<Void> {
        logger.info(
            "stopping; live queries that come back with their clocks go on where they are",
            metadata: ["message-id": "stopping"])
        observer.stopping()
        heartbeat?.cancel()
        let closed = server?.close() ?? loop.makeSucceededVoidFuture()
        let saved = engine.close()
        let (pools, loop) = ([pool, engine.workload.costlyPool, engine.workload.longPool], loop)
        // Nobody waits for a directory server that hangs.
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
        return "\(engine.itemCount) items in \(engine.containers.count) containers, \(live) live queries"
    }

    /// The watchdog is fed by the loop that does the work, twice as often as it must be: a loop that hangs is noticed. What
    /// the watcher does now and then is done in the same breath, so that nothing else wakes an idle daemon.
    private func beginHeartbeat() {
        guard let interval = observer.heartbeat else { return }
        let core = NIOLoopBound(self, eventLoop: loop)
        let half = TimeAmount(interval / 2)
        heartbeat = loop.scheduleRepeatedTask(initialDelay: half, delay: half) { _ in
            core.value.observer.alive()
            core.value.observer.status(core.value.statusText)
            core.value.engine.turn()
        }
    }

    // MARK: Reload

    /// Reads the files again. What is wrong in them is thrown, and everything stays as it was.
    func reload() throws(ConfigurationError) {
        observer.reloading()
        defer { observer.ready(status: statusText) }
        let old = configuration
        do {
            let (read, containers) = try DaemonCore.read(options, runtime, logger)
            configuration = read
            engine.watcher.set(pollInterval: configuration.pollInterval, watchShare: configuration.watchShare)
            engine.watcher.setAudit(interval: configuration.auditInterval, share: configuration.auditShare)
            apply(containers)
            // What was set takes effect in a turn.
            engine.turn()
        } catch {
            logger.error(
                "the configuration was not reloaded, the running one is kept: \(error); mend that and reload again",
                metadata: ["message-id": "reload-refused"])
            throw error
        }
        logger.logLevel = configuration.logLevel
        engine.logger.logLevel = configuration.logLevel
        engine.forgetNames()
        sayWhatNeedsARestart(old)
        logger.info(
            "the configuration was reloaded: \(Plural.count(engine.containers.count, "container"))",
            metadata: ["message-id": "configuration-reloaded"])
    }

    private func sayWhatNeedsARestart(_ old: DaemonConfiguration) {
        let keys = [
            ("socket-group", old.socketGroup != configuration.socketGroup),
            ("snapshot-interval", old.snapshotInterval != configuration.snapshotInterval),
        ].filter(\.1).map(\.0)
        guard !keys.isEmpty else { return }
        logger.warning(
            "what changed in \(keys.joined(separator: ", ")) takes effect with a restart: systemctl restart gatherd")
    }

    /// As ``reload()``, where nobody waits for the error: it is in the log.
    func reloadAtSignal() { try? reload() }

    /// Removes and adds what differs; a container whose description is the same goes on undisturbed.
    private func apply(_ wanted: [ContainerConfiguration]) {
        for record in engine.containers where !wanted.contains(record.configuration) {
            let same = wanted.first { $0.identifier == record.identifier }
            if let same, engine.setPackages(of: record, by: same) { continue }
            engine.removeContainer(record)
        }
        for container in wanted where engine.container(container.identifier) == nil { engine.addContainer(container) }
    }
}
