// The run of a session: its beginning, its parts and its end.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Syncthing
import Varlink

extension ContainerSession {
    /// Runs until an error. `started` is called when the first report was accepted.
    func run(started: @escaping @Sendable () async -> Void) async throws {
        defer { endTasks() }
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
}
