// Reports of a size that gatherd accepts.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Testing
import Varlink

@testable import SyncService

struct ReportPartsTests {
    @Test(arguments: [0, 1, 1_000, 20_000]) func partsHaveEveryItemInOrder(count: Int) {
        let items = (0..<count).map { SyncItemMessage(path: String(repeating: "d/", count: $0 % 40) + "\($0)") }
        let parts = ReportParts.split(items)
        #expect(Array(parts.joined()) == items)
        for part in parts {
            #expect(!part.isEmpty)
            let request = SyncInterface.Report.Request(session: 1, items: part)
            #expect(JSONBytes(request).count <= SyncLimits.reportBytes + 1_024)
        }
        // No more parts than it takes.
        let bytes = items.reduce(0) { $0 + JSONBytes($1).count + 1 }
        #expect(parts.count <= bytes / (SyncLimits.reportBytes / 2) + 1)
    }

    @Test func anItemLargerThanAPartHasItsOwn() {
        let huge = SyncItemMessage(path: String(repeating: "x", count: SyncLimits.reportBytes))
        let small = SyncItemMessage(path: "a")
        #expect(ReportParts.split([small, huge, small]) == [[small], [huge], [small]])
    }
}
