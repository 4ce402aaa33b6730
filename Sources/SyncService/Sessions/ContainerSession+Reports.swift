// The reports to gatherd.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Logging
import Syncthing
import Varlink

extension ContainerSession {
    /// Reports after each change of a state, until an error.
    func report(to client: VarlinkClient, started: @escaping @Sendable () async -> Void) async throws {
        var isFirst = true
        for await _ in signals.reports {
            // At first, nothing is told before all folders were scanned.
            if isFirst, folders.contains(where: \.scans.isUnsettled) { continue }
            let through = confirmed()
            if hasDoubts { try await ask(isFirst: isFirst) }
            try await send(to: client, through: through)
            if isFirst {
                isFirst = false
                await started()
            }
            if comparison.takeDue() { try await compare(with: client) }
            if hasDoubts { signals.wake() }
        }
    }

    /// Returns the number of the last reply of the feed up to which all changes are in Syncthing's database.
    private func confirmed() -> Int { folders.map { $0.scans.confirmed(of: feed.sequence) }.min() ?? feed.sequence }

    private var hasDoubts: Bool {
        folders.contains(where: \.hasDoubts)
    }

    /// Asks Syncthing about the files in doubt. Several rounds in a row have pauses between them.
    private func ask(isFirst: Bool) async throws {
        let clock = ContinuousClock()
        if clock.now < roundPause.end { try await clock.sleep(until: roundPause.end) }
        let begin = clock.now
        for index in folders.indices {
            let name = folders[index].place.folder
            if folders[index].unshared.takePatternDoubt() {
                if try await readPatterns(index) || isFirst { try await findUnshared(index) }
            }
            while let device = folders[index].devices.takeDoubtful() {
                let records = try await run.client.remoteNeed(of: name, device: device)
                folders[index].devices.take(records, device: device)
            }
            if folders[index].downloads.takeDoubt() {
                let (records, place) = (try await run.client.need(of: name), folders[index].place)
                folders[index].downloads.take(missing: records) { isHere($0, place) }
            }
            if folders[index].evictions.takeDoubt() { try await askEvicted(index) }
            if folders[index].downloads.takeErrorDoubt() {
                let errors = try await run.client.errors(of: name)
                folders[index].downloads.take(askedErrors: errors)
                awaitRoom(index)
            }
            while let path = folders[index].unshared.takeDoubtful() { try await checkShared(path, index) }
            try await countBlocks(index)
        }
        roundPause.begin(after: begin, to: clock.now)
    }

    /// Finds out how many blocks the files have that devices fetch now.
    private func countBlocks(_ index: Int) async throws {
        for path in folders[index].devices.uncounted() {
            let blocks = try await run.client.file(path, of: folders[index].place.folder)?.global.blocks ?? 0
            folders[index].devices.note(blocks: blocks, of: path)
        }
    }

    // MARK: Sending

    private func send(to client: VarlinkClient, through: Int) async throws {
        let states = itemStates()
        let base = baseState()
        let news = feed.news(through: through)
        // Before the calls: the report of a file that is about to be evicted may go between them. gatherd sets every item that changed up
        // to the clock to the base state, but those of this report.
        let different = reported.take(states, base: base, changed: news?.changed ?? []) { isLeaving($0) }
        guard !different.isEmpty || news != nil else { return }
        var reports = ReportParts.split(different.items)
        var lastParts = ReportParts.split(different.repeated)
        if lastParts.count > 1 {
            // Until the others are told as well, no device has any of them.
            reports.append([])
            try await send(reports, to: client)
            var none = base
            none.uploadedTo = []
            try await call(client, base: none, items: lastParts.removeFirst(), through: news?.clock)
            try await send(lastParts, to: client)
            try await call(client, base: base, items: [], through: nil)
        } else {
            let final = (lastParts.first ?? []) + (reports.popLast() ?? [])
            try await send(reports, to: client)
            try await call(client, base: different.base, items: final, through: news?.clock)
        }
        if news != nil { feed.note(reportedThrough: through) }
    }

    private func send(_ parts: [[SyncItemMessage]], to client: VarlinkClient) async throws {
        for part in parts where !part.isEmpty { try await call(client, base: nil, items: part, through: nil) }
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
