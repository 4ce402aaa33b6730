// The reports to gatherd, and the comparison of the session's knowledge with that of Syncthing and gatherd.
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

    /// Reads the ignore patterns of a folder, and which files are evicted, here and elsewhere. Returns whether the patterns differ
    /// from those that were read before.
    func readPatterns(_ index: Int) async throws(SyncthingError) -> Bool {
        let place = folders[index].place
        // The pattern that leaves a part to another folder ignores nothing that is asked about.
        let inner = Set(folders.compactMap { place.part(of: $0.place.prefix).map { "/" + $0 } })
        let lines = try await readEvicted(index)
        if !folders[index].evictions.isKnown {
            readEvictedElsewhere(index)
            folders[index].evictions.setKnown()
        }
        let patterns = IgnorePatterns.effective(lines.others).filter { !inner.contains($0) }
        return folders[index].unshared.take(patterns: patterns)
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

    // MARK: Comparing

    // Events and reports are edits, of which one that is lost or overtaken would leave a wrong state for ever. So once things have
    // happened, everything is read again: the lists and patterns of evicted files, the states of Syncthing, and those of gatherd.

    /// Has everything compared some time after each report, until an error.
    func compareNowAndThen() async throws {
        while !tasks.isEnded {
            try await Task.sleep(for: comparison.pause)
            guard comparison.endPause() else { continue }
            for index in folders.indices {
                folders[index].doubtAll()
                folders[index].downloads.doubtErrors()
                folders[index].unshared.doubtPatterns()
                readEvictedElsewhere(index)
            }
            signals.wake()
        }
    }

    /// Reads the states that gatherd has, and reports those that are not as they were told.
    func compare(with client: VarlinkClient) async throws {
        let begin = ContinuousClock.now
        var base: SyncStateMessage?
        var present: [String: ItemReport] = [:]
        var from: Int64?
        repeat {
            let request = SyncInterface.States.Request(session: reported.session, from: from)
            let reply = try await TimeLimit.run("gatherd's states", SyncLimits.callTime) {
                try await client.call(SyncInterface.States.self, request)
            }
            for item in reply.items { present[item.path] = ItemReport(item) }
            base = reply.base
            from = reply.next
        } while from != nil

        let (otherBase, items) = reported.differences(from: present, base: base) { isItem($0, $1) }
        var mended = otherBase == nil ? 0 : 1
        if let otherBase { try await call(client, base: otherBase, items: [], through: nil) }
        for part in ReportParts.split(items) {
            mended += try await call(client, base: nil, items: part, through: nil)
        }
        corrections.add(mended, "states in gatherd of \(container)")
        comparison.end(after: ContinuousClock.now - begin)
    }

    /// Whether gatherd has an item for a report: it ignores others, which come and go again.
    private func isItem(_ path: String, _ report: ItemReport) -> Bool {
        if report.absent != nil { return true }
        guard let (index, part) = folder(of: path) else { return false }
        return isHere(part, folders[index].place)
    }
}
