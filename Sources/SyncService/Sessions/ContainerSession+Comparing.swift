// The comparison of the session's knowledge with that of Syncthing and gatherd.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

/// Events and reports are edits, of which one that is lost or overtaken would leave a wrong state for ever. So once things have
/// happened, everything is read again: the lists and patterns of evicted files, the states of Syncthing, and those of gatherd.
extension ContainerSession {
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

    /// Whether an eviction of a file is under way that is still here.
    func isLeaving(_ path: String) -> Bool {
        folder(of: path).map { folders[$0.index].evictions.isLeaving($0.part) } ?? false
    }
}
