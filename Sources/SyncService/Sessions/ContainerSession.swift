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

    /// Runs a part of the session. Its error ends the session.
    func spawn(_ body: @escaping @Sendable (ContainerSession) async throws -> Void) {
        tasks.add({ try await body(self) }, ended: { await self.finished($0) })
    }

    /// Ends the tasks of a session that does not run any more.
    func endTasks() {
        tasks.end()
        signals.end()
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

    /// Whether an eviction of a file is under way that is still here.
    func isLeaving(_ path: String) -> Bool {
        folder(of: path).map { folders[$0.index].evictions.isLeaving($0.part) } ?? false
    }

    /// Reports to gatherd. Returns the count of items that have another state there now.
    @discardableResult func call(
        _ client: VarlinkClient, base: SyncStateMessage?, items: [SyncItemMessage], through: String?
    ) async throws -> Int {
        comparison.noteReport()
        // Another report of a file that is about to be evicted would end gatherd's keeping of the item.
        let items = items.filter { reported.mayReport($0) { isLeaving($0) } }
        let request = SyncInterface.Report.Request(
            session: reported.session, base: base, items: items.isEmpty ? nil : items, through: through)
        logger.trace("report: \(JSONBytes(request).text)")
        let reply = try await TimeLimit.run("gatherd's answer to a report", SyncLimits.callTime) {
            try await client.call(SyncInterface.Report.self, request)
        }
        return Int(reply.changed ?? 0)
    }
}
