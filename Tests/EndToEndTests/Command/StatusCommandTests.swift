// gather status and gather container list --wait: how it is, what to do next, and when all is read.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct StatusCommandTests {
    @Test func `It answers an administrator's first questions, and tells the next step`() async throws {
        let daemon = try await TestDaemon(containers: ["box", "gone"])
        try Change.write("x", to: daemon.box + "/a")
        try await daemon.client.flush()
        let well = await daemon.gather("status")
        #expect(well.status == 0 && well.errors.isEmpty)
        #expect(well.lines.first?.wholeMatch(of: /gatherd \S+  process \d+  since \S+ \S+ \(\d+ (s|min).*\)/) != nil)
        #expect(well.lines.contains { $0.wholeMatch(of: /watches       \d[\d,]*( of \d[\d,]*)?/) != nil })
        #expect(well.lines.contains("items         1 in 2 containers"))
        #expect(!well.text.contains("next:"))
        rmdir(daemon.directory + "/gone")
        try await daemon.client.flush()
        let missing = await daemon.gather("status")
        #expect(missing.lines.contains { $0.hasPrefix("gone  unavailable") && $0.contains("No such file") })
        #expect(
            missing.lines.last
                == "next: 'gone' is unavailable; why, and what mends it: gather doctor --socket \(daemon.socket.path)")
        let json = await daemon.gather("status", "--json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any])
        #expect((object["watches"] as? Int ?? 0) > 0)
        #expect((object["next"] as? [String])?.count == 1)
    }

    @Test func `To wait until all is read tells whether all is live`() async throws {
        let daemon = try await TestDaemon(containers: ["box", "gone"]) { box in
            for number in 0..<300 {
                mkdir(box + "/\(number)", 0o755)
                try Change.write("x", to: box + "/\(number)/a")
            }
        }
        let all = await daemon.gather("container", "list", "--wait")
        #expect(all.status == 0 && all.errors.isEmpty, "no bar without a terminal")
        #expect(all.lines == ["box\tlive\t600\t\(daemon.box)", "gone\tlive\t0\t\(daemon.directory)/gone"])
        rmdir(daemon.directory + "/gone")
        try await daemon.client.flush()
        let missing = await daemon.gather("container", "list", "--wait", "--json")
        #expect(missing.status == 1 && missing.lines.count == 2)
    }
}
