// gather clock and gather changes: the exact difference since an earlier moment, for any question.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct ClockCommandTests {
    private func clock(_ daemon: TestDaemon) async throws -> String {
        let result = await daemon.gather("clock")
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        #expect(result.lines.count == 1)
        return try #require(result.lines.first)
    }

    @Test func changesPrintsTheDifferenceForAnyQuestion() async throws {
        let daemon = try await TestDaemon()
        let box = daemon.box
        try Change.directory(box + "/sub")
        for name in ["a.txt", "b.txt", "sub/c.txt", "sub/d.jpg"] { try Change.write("1", to: "\(box)/\(name)") }
        let clock = try await clock(daemon)
        #expect(await daemon.gather("changes", "--since", clock, "").text == "")

        try Change.remove(box + "/a.txt")
        try Change.rename(box + "/b.txt", box + "/sub/e.txt")
        try Change.write("12345", to: box + "/sub/d.jpg")
        try Change.write("", to: box + "/new.txt")
        func changes(_ arguments: String...) async -> [String] {
            let result = await ChildProcess(
                .gather, ["changes", "--since", clock, "--socket", daemon.socket.path] + arguments
            ).result()
            #expect(result.status == 0 && result.errors == "", "\(arguments): \(result.errors)")
            return result.lines.sorted()
        }
        let directories = ["~ \(box)/sub"]
        let text = ["+ \(box)/new.txt", "- \(box)/a.txt", "~ \(box)/b.txt -> \(box)/sub/e.txt"]
        #expect(await changes("kind == 'file'") == text + ["~ \(box)/sub/d.jpg"])
        #expect(await changes("name ENDSWITH '.txt'") == text)
        #expect(await changes("-e", "jpg") == ["~ \(box)/sub/d.jpg"])
        #expect(await changes("kind == 'directory'") == directories)
        #expect(await changes("kind == 'file'", "--in", box + "/sub") == ["+ \(box)/sub/e.txt", "~ \(box)/sub/d.jpg"])
        #expect(await changes("size > 3 AND kind == 'file'") == ["+ \(box)/sub/d.jpg"])
        #expect(await changes("name == 'nothing'") == [])

        let objects = await changes("name == 'a.txt'", "--json", "--attributes", "size").map { line in
            try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
        #expect(objects.compactMap { $0?["event"] as? String } == ["gathered", "removed", "started"])
        let clocks = objects.compactMap { $0?["clock"] as? String }
        let next = try #require(clocks.first)
        let rest = await daemon.gather("changes", "--since", next, "")
        #expect(rest.text == "" && rest.status == 0)
    }

    @Test func clockOutlivesTheDaemon() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        try await daemon.untilSaved()
        let clock = try await clock(daemon)
        _ = await daemon.terminate()
        try Change.write("", to: daemon.box + "/b")
        try await daemon.restart()
        let changes = await daemon.gather("changes", "--since", clock, "kind == 'file'")
        #expect(changes.lines == ["+ \(daemon.box)/b"] && changes.status == 0, "\(changes.errors)")
    }

    @Test func forgottenClockHasAStatusOfItsOwn() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        for clock in ["1-2-3", "0-0-0-0-0-0-0-0"] {
            let result = await daemon.gather("changes", "--since", clock, "")
            #expect(result.status == 4 && result.text == "")
            #expect(result.errors.contains("'gather clock'"), "\(result.errors)")
        }
    }

    @Test(arguments: ["nonsense", "", "1", "of-another-life", "1-2-3-4-5"])
    func textThatIsNoClockIsAnError(_ text: String) async throws {
        let daemon = try await TestDaemon()
        for command in ["changes", "watch"] {
            let result = await daemon.gather(command, "--since", text, "")
            #expect(result.status == 64 && result.text == "", "\(command)")
            #expect(result.errors.contains("is no clock"), "\(result.errors)")
        }
    }

    @Test func changesNeedsAClockAndAPredicate() async throws {
        let daemon = try await TestDaemon()
        #expect(await daemon.gather("changes", "").status == 64)
        #expect(await daemon.gather("changes", "--since", "1-2-3").status == 64)
        #expect(await daemon.gather("changes", "--since", "1-2-3", "name ==").status == 2)
    }
}
