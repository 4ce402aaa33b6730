// Counts the items that callers see of containers.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import Metadata
import MetadataIndex

/// Counts the items that a caller sees of containers. Event loop only.
struct CensusTaker {
    let access: AccessControl
    let scans: ScanRunner
    let workload: Workload

    /// Counts the items that a caller sees of containers. If there are many, it counts off the loop in the user's turn,
    /// unless no call waits for it any more.
    func take(
        of records: [ContainerRecord], for caller: Credentials, while isAwaited: @escaping () -> Bool,
        then: @escaping ([Census]) -> Void
    ) {
        let (known, open) = censuses(of: records, for: caller)
        guard scans.leavesLoop(rows: open.reduce(0) { $0 + $1.snapshot.count }, .shared) else {
            return finish(of: records, known, open, open.map { Census(of: $0.snapshot, for: $0.viewer) }, then)
        }
        workload.turns(.shared).enter(user: caller.user) { turn in
            // The caller may be gone. A census that another caller of the same user has taken meanwhile is not
            // repeated.
            guard isAwaited() else { return turn.leave() }
            let (known, open) = censuses(of: records, for: caller)
            scans.inTurn(.shared) {
                open.map { Census(of: $0.snapshot, for: $0.viewer) }
            } then: { result in
                turn.leave()
                // It fails only when the pool has been shut down, and then no call waits any more.
                guard case .success(let counted) = result else { return }
                finish(of: records, known, open, counted, then)
            }
        }
    }

    private typealias CensusScan = (place: Int, viewer: Viewer, snapshot: IndexSnapshot)

    /// The known censuses, and the scans for the others.
    private func censuses(
        of records: [ContainerRecord], for caller: Credentials
    ) -> (known: [Int: Census], scans: [CensusScan]) {
        var known: [Int: Census] = [:]
        var open: [CensusScan] = []
        for (place, record) in records.enumerated() {
            guard let viewer = access.viewer(caller, of: record), viewer.seesAnything else {
                known[place] = Census()
                continue
            }
            if !record.index.hasChanges, let census = record.access.census(of: viewer, at: record.index.clock) {
                known[place] = census
            } else {
                open.append((place, viewer, record.index.snapshot()))
            }
        }
        return (known, open)
    }

    private func finish(
        of records: [ContainerRecord], _ known: [Int: Census], _ scans: [CensusScan], _ counted: [Census],
        _ then: ([Census]) -> Void
    ) {
        var known = known
        for (scan, census) in zip(scans, counted) {
            known[scan.place] = census
            records[scan.place].access.note(census, of: scan.viewer, at: scan.snapshot.clock)
        }
        then(records.indices.map { known[$0] ?? Census() })
    }
}
