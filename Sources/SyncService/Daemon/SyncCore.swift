// The state of the helper: Syncthing, gatherd, and the sessions between them.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Logging
import NIOCore
import Syncthing
import Varlink

/// Follows Syncthing and gatherd, and runs a session for each shared container while both are there.
actor SyncCore {
    /// A running session, and its inputs.
    struct Running {
        var places: [FolderPlace]
        var start: String
        var directory: String
        var task: Task<Void, Never>
        /// Nil between two attempts.
        var session: ContainerSession?
    }

    let options: SyncOptions
    let group: any EventLoopGroup
    let logger: Logger
    let gatherd: GatherdSocket
    let corrections: Corrections

    /// Syncthing; nil while it does not answer.
    private(set) var syncthing: SyncthingRun?
    /// The reason why it does not.
    private(set) var reason = "not asked yet"
    /// Whether the reason is that another program may listen at its address.
    private(set) var mayBeStranger = false
    /// Whether Syncthing and gatherd were asked once, with or without an answer.
    private var wereAsked = (syncthing: false, gatherd: false)
    /// The containers; nil while gatherd does not answer.
    private(set) var containers: [ContainerDescription]?
    private var sessions: [String: Running] = [:]
    /// The last message about each subject, so that it is logged once.
    private var said: [String: String] = [:]
    private var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    private var observerCount = 0

    init(options: SyncOptions, group: any EventLoopGroup, logger: Logger) {
        self.options = options
        self.group = group
        self.logger = logger
        corrections = Corrections(logger: logger)
        gatherd = GatherdSocket(path: options.gatherdSocket, group: group)
    }

    /// Follows both until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await self.followSyncthing() }
            tasks.addTask { await self.followGatherd() }
            await tasks.waitForAll()
        }
        for running in sessions.values { running.task.cancel() }
        sessions.removeAll()
    }

    // MARK: Messages

    /// Logs a message about a subject, unless it was the last one.
    func say(_ level: Logger.Level, _ subject: String, _ message: String) {
        guard said[subject] != message else { return }
        said[subject] = message
        logger.log(level: level, "\(message)")
    }

    func forget(_ subject: String) { said[subject] = nil }

    // MARK: Observers

    /// Returns a stream that yields after changes of the status, and at once if it is `startingNow`.
    func changes(startingNow: Bool) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = observerCount
        observerCount += 1
        observers[number] = continuation
        if startingNow { continuation.yield() }
        continuation.onTermination = { _ in Task { await self.endObserver(number) } }
        return stream
    }

    /// Waits until Syncthing and gatherd were asked once, since a call may come in the first moment.
    func untilAsked() async {
        if wereAsked == (true, true) { return }
        for await _ in changes(startingNow: true) where wereAsked == (true, true) { return }
    }

    private func endObserver(_ number: Int) { observers[number] = nil }

    private func notifyObservers() { for observer in observers.values { observer.yield() } }

    // MARK: Syncthing

    private func followSyncthing() async {
        var pauses = Pauses()
        while !Task.isCancelled {
            do throws(SyncthingError) {
                let client = SyncthingClient(try options.configuration(), on: group)
                // Before the settings are read, so that no change is missed.
                var last = try await client.events(since: 0, wait: false).last?.number ?? 0
                set(try await SyncthingRun(client))
                pauses.reset()
                while true { last = try await takeEvents(client, since: last) }
            } catch {
                guard !Task.isCancelled else { return }
                lose(error)
                try? await Task.sleep(for: pauses.next())
            }
        }
    }

    private func takeEvents(_ client: SyncthingClient, since last: Int64) async throws(SyncthingError) -> Int64 {
        let events = try await client.events(since: last)
        guard let first = events.first, let newest = events.last else { return last }
        if events.contains(where: { $0.content == .configurationSaved }), var run = syncthing {
            try await run.readSettings()
            run.connected = syncthing?.connected ?? []
            syncthing = run
            updateSessions()
        }
        for event in events {
            switch event.content {
            case .deviceConnected(let device): syncthing?.connected.insert(device)
            case .deviceDisconnected(let device): syncthing?.connected.remove(device)
            default: break
            }
        }
        if events.contains(where: { $0.content == .pendingChanged || $0.content == .configurationSaved }) {
            await takeOffersOfDocuments()
        }
        for running in sessions.values {
            guard let session = running.session else { continue }
            // The numbers have no gaps, unless Syncthing has dropped events.
            if first.number != last &+ 1 { await session.lostEvents() }
            await session.take(events)
        }
        notifyObservers()
        return newest.number
    }

    /// Reads Syncthing's settings after a change, and returns them.
    func readSettings() async throws -> SyncthingRun {
        guard var run = syncthing else { throw SharingError.notRunning(reason: reason) }
        try await run.readSettings()
        // The connections may have changed meanwhile.
        if let now = syncthing, now.status == run.status {
            run.connected = now.connected
            syncthing = run
            updateSessions()
            notifyObservers()
        }
        return run
    }

    private func set(_ run: SyncthingRun) {
        syncthing = run
        wereAsked.syncthing = true
        reason = ""
        say(.info, "Syncthing", "Syncthing \(run.version.version) answers at \(run.client.address)")
        updateSessions()
        notifyObservers()
    }

    /// Adds the folders of documents that devices offer with which their containers are shared already. An error is told when
    /// somebody shares the container.
    private func takeOffersOfDocuments() async {
        guard let run = syncthing, let containers else { return }
        do {
            if try await SharingMethods(core: self).takeOffersOfDocuments(containers, run) {
                _ = try await readSettings()
            }
        } catch {
            logger.debug("offers of documents cannot be taken: \(error)")
        }
    }

    private func lose(_ error: SyncthingError) {
        let message = "\(error)"
        syncthing = nil
        mayBeStranger = error.isOfPeer
        wereAsked.syncthing = true
        reason = message
        say(.warning, "Syncthing", "\(message); the sync attributes are unknown until Syncthing answers again")
        updateSessions()
        notifyObservers()
    }

    // MARK: gatherd

    private func followGatherd() async {
        var pauses = Pauses()
        while !Task.isCancelled {
            do {
                let monitor = FeedReader(
                    try await gatherd.connect()
                        .callMore(ContainerInterface.Monitor.self, ContainerInterface.Monitor.Request()))
                var next = try await TimeLimit.run("gatherd's list of containers", SyncLimits.callTime) {
                    try await monitor.next()
                }
                while let reply = next {
                    wereAsked.gatherd = true
                    containers = try reply.reply(of: ContainerInterface.Monitor.self).containers
                    say(.info, "gatherd", "gatherd answers at \(gatherd.path)")
                    pauses.reset()
                    updateSessions()
                    notifyObservers()
                    next = try await monitor.next()
                }
                guard !Task.isCancelled else { return }
                loseGatherd("gatherd ended the connection at \(gatherd.path)")
            } catch {
                guard !Task.isCancelled else { return }
                loseGatherd("gatherd cannot be reached at \(gatherd.path): \(error)")
            }
            try? await Task.sleep(for: pauses.next())
        }
    }

    /// Asks gatherd for a container; nil if it has none with this identifier.
    func readContainer(_ identifier: String) async throws -> ContainerDescription? {
        let gatherd = gatherd
        let reply = try await TimeLimit.run("gatherd's answer", SyncLimits.callTime) {
            try await gatherd.connect().call(ContainerInterface.List.self, ContainerInterface.List.Request())
        }
        return reply.containers.first { $0.identifier == identifier }
    }

    private func loseGatherd(_ message: String) {
        containers = nil
        wereAsked.gatherd = true
        say(.warning, "gatherd", message)
        updateSessions()
        notifyObservers()
    }

    // MARK: Sessions

    /// Starts and ends sessions, so that each shared container has one while Syncthing and gatherd answer.
    private func updateSessions() {
        var wanted: [String: ContainerDescription] = [:]
        if syncthing != nil {
            for container in containers ?? [] where container.sync == "syncthing" && container.state != .unavailable {
                wanted[container.identifier] = container
            }
        }
        for (identifier, running) in sessions {
            if let container = wanted[identifier], let run = syncthing, running.directory == container.path,
                running.start == run.status.startTime,
                running.places == FolderPlace.all(in: run, container: container.path)
            {
                continue
            }
            running.task.cancel()
            sessions[identifier] = nil
        }
        for (identifier, container) in wanted where sessions[identifier] == nil {
            guard let run = syncthing else { return }
            let places = FolderPlace.all(in: run, container: container.path)
            sessions[identifier] = Running(
                places: places, start: run.status.startTime, directory: container.path,
                task: Task(executorPreference: SyncExecutor.shared) {
                    await self.keepSession(container, places)
                })
        }
    }

    /// Runs a session again and again, with pauses, until the task is cancelled.
    private func keepSession(_ container: ContainerDescription, _ places: [FolderPlace]) async {
        var pauses = Pauses()
        let identifier = container.identifier
        while !Task.isCancelled, let run = syncthing {
            let session = ContainerSession(
                container, places: places, run: run, gatherd: gatherd,
                isClaiming: options.isClaiming, corrections: corrections, logger: logger)
            sessions[identifier]?.session = session
            do {
                try await session.run {
                    await self.say(.info, identifier, "\(identifier): the states of its items are known")
                    await self.notifyStarted()
                }
            } catch {
                guard !Task.isCancelled else { return }
                sessions[identifier]?.session = nil
                say(.warning, identifier, "\(identifier): \(error); the sync attributes of its items are unknown")
            }
            try? await Task.sleep(for: pauses.next())
        }
    }

    /// Returns the running session of a container.
    func session(_ identifier: String) -> ContainerSession? { sessions[identifier]?.session }

    private func notifyStarted() { notifyObservers() }
}
