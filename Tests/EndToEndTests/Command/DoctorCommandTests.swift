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

    @Test(.enabled(if: SyncMachine.isInstalled, "syncthing is not installed"))
    func `It says where the helper may not write`() async throws {
        let machine = try await SyncMachine("A")
        let other = try await SyncMachine("B")
        try await machine.share(with: [other])
        try machine.save("inner/deep/letter.txt", "x")
        let isKnown = "name == 'letter.txt' AND isUploaded == FALSE"
        try await machine.until(isKnown, ["inner/deep/letter.txt"])
        let environment = [
            "GATHER_SOCKET": machine.socket.path, "GATHER_SYNC_SOCKET": machine.directory + "/helper",
            "HOME": machine.directory + "/home",
        ]
        func finding() async throws -> Report.Finding? {
            let result = await ChildProcess(.gather, ["doctor", "--json"], environment: environment).result()
            return try report(result).findings.first { $0.message.contains("gather-syncd may not write") }
        }
        #expect(try await finding() == nil)
        for path in ["/inner/deep", ""] {
            try Change.chmod(machine.box + path, 0o555)
            defer { chmod(machine.box + path, 0o755) }
            let finding = try #require(try await finding())
            #expect(finding.level == "warning" && finding.subject == "box")
            #expect(finding.message.contains("may not write in \(machine.box)\(path): "), "\(finding.message)")
            #expect(finding.message.hasSuffix("chown or chmod it for the user of gather-syncd"), "\(finding.message)")
        }
        try await machine.end("gather-syncd")
        try await machine.startHelper(["--no-claims"])
        try await machine.until(isKnown, ["inner/deep/letter.txt"])
        try Change.chmod(machine.box, 0o555)
        defer { chmod(machine.box, 0o755) }
        #expect(try await finding() == nil)
    }
}
