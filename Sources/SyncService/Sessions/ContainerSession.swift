// Keeps Syncthing and gatherd in step for one container.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Logging
import NIOCore
import Syncthing
import Varlink

/// Starts Syncthing's scans of the changes in a container, and tells gatherd the states of its items. Lasts until an
/// error; the states are unknown from then on.
actor ContainerSession {
    private let description: ContainerDescription
    let run: SyncthingRun
    let gatherd: GatherdSocket
    let logger: Logger
    let corrections: Corrections
    /// Whether fresh versions in conflict get names that follow from their contents.
    let isClaiming: Bool

    var folders: [FolderState]
    var connected: Set<String>

    var feed = FeedProgress()
    var reported = ReportedStates()
    var comparison = Comparison()
    var roundPause = RoundPause()
    /// The task that looks for the authors of copies.
    var naming = RepeatedTask()
    private(set) var tasks = SessionTasks()
    var signals = SessionSignals()

    /// The container's identifier.
    var container: String { description.identifier }
    /// The container's directory as gatherd names it.
    var directory: String { description.path }

    /// Makes a session that does not run yet. `places` are the folders of the container, the deepest first.
    init(
        _ container: ContainerDescription, places: [FolderPlace], run: SyncthingRun, gatherd: GatherdSocket,
        isClaiming: Bool, corrections: Corrections, logger: Logger
    ) {
        description = container
        self.run = run
        self.gatherd = gatherd
        self.isClaiming = isClaiming
        self.corrections = corrections
        self.logger = logger
        connected = run.connected
        folders = places.map { FolderState($0) }
    }

    /// Runs until an error. `started` is called when the first report was accepted.
    func run(started: @escaping @Sendable () async -> Void) async throws {
        defer {
            tasks.end()
            signals.end()
        }
        if folders.isEmpty { throw SessionError.noFolder(container: container) }
        if let paused = folders.first(where: { $0.place.isPaused }) {
            throw SessionError.paused(folder: paused.place.folder)
        }
        var attachment = try await gatherd.connect()
            .callMore(SyncInterface.Attach.self, SyncInterface.Attach.Request(container: container))
            .makeAsyncIterator()
        guard let first = try await attachment.next() else { throw SessionError.ended }
        let attached = try first.reply(of: SyncInterface.Attach.self)
        reported = ReportedStates(session: attached.session)
        feed = FeedProgress(after: attached.clock)
        let held = attachment
        spawn { _ in
            var attachment = held
            while try await attachment.next() != nil {}
            throw SessionError.ended
        }
        for index in folders.indices { _ = try await readPatterns(index) }
        try await findCopies()
        // Before the first scan of the whole, in which Syncthing would remove old ones.
        try await adoptLeftSaves()
        let replies = try await watch(since: attached.clock)
        // The first one starts a scan of each folder.
        spawn { session in try await session.read(replies) }
        let reports = try await gatherd.connect()
        spawn { session in try await session.report(to: reports, started: started) }
        spawn { session in try await session.adoptLaterLeftSaves() }
        spawn { session in try await session.compareNowAndThen() }
        for try await _ in tasks.failures {}
        throw CancellationError()
    }

    /// Runs a part of the session. Its error ends the session.
    func spawn(_ body: @escaping @Sendable (ContainerSession) async throws -> Void) {
        tasks.add({ try await body(self) }, ended: { await self.finished($0) })
    }

    /// Ends the session.
    func end(_ error: SessionError) { tasks.fail(error) }

    private func finished(_ number: Int) { tasks.remove(number) }

    /// Returns the folder of an item below the container, and its path below that folder.
    func folder(of path: String) -> (index: Int, part: String)? {
        for (index, folder) in folders.enumerated() {
            if let part = folder.place.part(of: path) { return (index, part) }
        }
        return nil
    }

    func index(of folder: String) -> Int? { folders.firstIndex { $0.place.folder == folder } }
}
