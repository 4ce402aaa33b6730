// gather doctor on this machine, with a daemon and without.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct DoctorCommandTests {
    private struct Report: Decodable {
        struct Finding: Decodable {
            var level: String
            var subject: String
            var message: String
            var command: String?
        }

        var ok: Bool
        var findings: [Finding]
    }

    private func report(_ result: ChildProcess.Result) throws -> Report {
        let report = try JSONDecoder().decode(Report.self, from: Data(result.output))
        #expect(result.status == (report.ok ? 0 : 1))
        #expect(report.ok == !report.findings.contains { ["warning", "problem"].contains($0.level) })
        return report
    }

    @Test func `It sees what is wrong with a container, and says when nothing is`() async throws {
        let daemon = try await TestDaemon(containers: ["box", "gone"])
        // Ready is a daemon that reads its containers still.
        try await daemon.client.flush()
        let first = try report(await daemon.gather("doctor", "--json"))
        #expect(first.findings.contains { $0.subject == "box" && $0.level == "fine" && $0.message.contains("is live") })
        #expect(first.findings.contains { $0.subject == "access" && $0.level == "fine" })
        rmdir(daemon.directory + "/gone")
        try await daemon.client.flush()
        let second = try report(await daemon.gather("doctor", "--json"))
        let gone = try #require(second.findings.first { $0.subject == "gone" })
        #expect(gone.level == "problem" && gone.message.contains("No such file or directory"))
        #expect(gone.command == "namei -l \(daemon.directory)/gone; findmnt --fstab")
        let quiet = await daemon.gather("doctor", "--quiet")
        #expect(quiet.status == 1)
        #expect(quiet.text.contains("problem  ") && !quiet.text.contains("ok  "))
    }

    @Test func `Without a daemon it says how to start one`() async throws {
        let daemon = try await TestDaemon()
        await daemon.kill()
        let result = await daemon.gather("doctor", "--json")
        let report = try report(result)
        #expect(!report.ok)
        let first = try #require(report.findings.first)
        #expect(first.subject == "daemon" && first.level == "problem")
        #expect(first.command?.hasPrefix("gatherd --socket ") == true)
        #expect(report.findings.contains { $0.subject == "limits" })
    }
}
