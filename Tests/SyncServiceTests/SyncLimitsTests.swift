// The limits of the helper, and those of its unit.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import SyncService

struct SyncLimitsTests {
    @Test func callersCannotUseUpTheDescriptorsOfTheUnit() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let unit = try String(
            contentsOf: root.appending(path: "Packaging/systemd/system/gather-syncd.service"), encoding: .utf8)
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("LimitNOFILE=") })
        let descriptors = try #require(Int(line.drop { $0 != "=" }.dropFirst()))
        #expect(SyncLimits.connections * 2 <= descriptors)
        #expect(SyncLimits.connectionsPerUser * 2 <= SyncLimits.connections)
    }
}
