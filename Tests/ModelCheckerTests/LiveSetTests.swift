// The check of a subscriber's items finds each wrong sequence of replies.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import IdentityModel
import Testing

@Suite struct LiveSetTests {
    private let question = Question(name: "test", predicate: "", attributes: ["size", "changed"], holds: { _ in true })

    private func item(_ id: String, _ path: String, size: Int = 0, changed: String = "then", previous: String? = nil)
        -> [String: Any]
    {
        var item: [String: Any] = ["id": id, "path": path, "size": size, "changed": changed]
        if let previous { item["previousPath"] = previous }
        return item
    }

    /// The violations after first results of /a and /b, and then these replies.
    private func violations(_ replies: [String: Any]...) -> [String] {
        var set = LiveSet(question)
        let first: [[String: Any]] = [
            ["event": "started"], ["event": "progress", "added": [item("1", "/a"), item("2", "/b")]],
            ["event": "gathered", "count": 2, "clock": "c"],
        ]
        for reply in first + replies { set.apply(reply) }
        return set.violations
    }

    @Test func `A proper sequence holds`() {
        #expect(violations().isEmpty)
        #expect(
            violations(
                ["event": "updated", "added": [item("3", "/c")], "count": 3, "clock": "d"],
                ["event": "updated", "changed": [item("3", "/d", previous: "/c")], "count": 3, "clock": "e"],
                ["event": "updated", "changed": [item("1", "/a", size: 4)], "clock": "f"],
                ["event": "updated", "removed": [["id": "1", "path": "/a"]], "count": 2, "clock": "g"],
                ["event": "alive", "clock": "g"]
            ).isEmpty)
    }

    @Test func `Added twice, changed or removed without being held`() {
        #expect(violations(["event": "updated", "added": [item("1", "/a")]]).count == 1)
        #expect(violations(["event": "updated", "changed": [item("9", "/z")]]).count == 1)
        #expect(violations(["event": "updated", "removed": [["id": "9", "path": "/z"]]]).count == 1)
    }

    @Test func `A change of nothing, and moves that are told wrongly`() {
        #expect(violations(["event": "updated", "changed": [item("1", "/a")]]).count == 1)
        #expect(violations(["event": "updated", "changed": [item("1", "/c")]]).count == 1)
        #expect(violations(["event": "updated", "changed": [item("1", "/c", previous: "/b")]]).count == 1)
        #expect(violations(["event": "updated", "changed": [item("1", "/a", size: 1, previous: "/b")]]).count == 1)
    }

    @Test func `Events out of their places, and counts that are wrong`() {
        #expect(violations(["event": "progress", "added": [item("3", "/c")]]).count == 1)
        #expect(violations(["event": "started"]).count == 1)
        #expect(violations(["event": "gathered"]).count == 1)
        #expect(violations(["event": "updated"]).count == 1)
        #expect(violations(["event": "lunch"]).count == 1)
        #expect(violations(["event": "updated", "added": [item("3", "/c")], "count": 2, "clock": "d"]).count == 1)
        var early = LiveSet(question)
        early.apply(["event": "started"])
        early.apply(["event": "updated", "added": [item("1", "/a")]])
        #expect(early.violations.count == 1)
    }

    @Test func `A lost connection goes back to its clock, and a fresh one begins anew`() {
        var set = LiveSet(question)
        set.apply(["event": "started"])
        set.apply(["event": "progress", "added": [item("1", "/a")]])
        set.apply(["event": "gathered", "count": 1, "clock": "c"])
        // Not all that belongs to the next clock has come.
        set.apply(["event": "updated", "added": [item("2", "/b")], "count": 3])
        set.reconnect()
        #expect(set.clock == "c" && Set(set.items.keys) == ["1"])
        set.apply(["event": "started"])
        set.apply(["event": "progress", "added": [item("2", "/b"), item("3", "/c")]])
        set.apply(["event": "gathered", "count": 3, "clock": "d"])
        #expect(set.resumes == 1 && set.freshStarts == 0 && set.items.count == 3)
        set.reconnect()
        set.apply(["event": "started", "fresh": true])
        #expect(set.items.isEmpty && set.freshStarts == 1)
        set.apply(["event": "progress", "changed": [item("2", "/b")]])
        #expect(!set.violations.isEmpty, "first results that are changes")
    }

    @Test func `A set that follows the time of day is held to that of its clock`() throws {
        let top = try #require(Files.makeTemporaryDirectory("time"))
        defer { Files.removeTree(top) }
        for (name, seconds) in [("a", 100), ("b", 200)] {
            #expect(Files.create(1, at: top.entry(Bytes(name))))
            #expect(Files.setModified(top.entry(Bytes(name)), seconds: seconds, nanoseconds: 0))
        }
        let walk = Entry.walk("box", top)
        let question = Question(name: "time", predicate: "", attributes: [], lasts: 10, holds: { _ in true })
        #expect(question.rows(walk, at: 110 * TimeOfDay.second - 1).count == 2)
        #expect(question.rows(walk, at: 110 * TimeOfDay.second).map(\.key) == [top.entry(Bytes("b"))])
        func changes(_ first: Int, _ last: Int) -> Bool {
            question.changes(walk, after: first * TimeOfDay.second, upTo: last * TimeOfDay.second)
        }
        #expect(!changes(0, 109) && changes(0, 110) && !changes(110, 209) && changes(110, 210) && !changes(210, 999))

        func difference(at seconds: Int, holding names: [String]) -> String? {
            var set = LiveSet(question)
            set.apply(["event": "started"])
            set.apply([
                "event": "progress",
                "added": names.map { ["id": $0, "path": String(decoding: top, as: UTF8.self) + "/" + $0] },
            ])
            let moment = String(seconds * TimeOfDay.second, radix: 16)
            set.apply(["event": "gathered", "count": names.count, "clock": "1-2-3-\(moment)"])
            #expect(set.violations.isEmpty)
            return set.difference(from: walk)
        }
        #expect(difference(at: 109, holding: ["a", "b"]) == nil && difference(at: 109, holding: ["b"]) != nil)
        #expect(difference(at: 110, holding: ["a", "b"]) != nil && difference(at: 110, holding: ["b"]) == nil)
    }

    @Test func `Differences are found and told`() {
        let rows = [Row(key: Bytes("/a"), text: "size=1"), Row(key: Bytes("/b"), text: "size=2")]
        #expect(Row.difference(held: rows, expected: rows) == nil)
        #expect(Row.difference(held: [rows[0]], expected: rows)?.contains("missing: /b size=2") == true)
        #expect(Row.difference(held: rows, expected: [rows[1]])?.contains("too much: /a size=1") == true)
        #expect(Row.difference(held: [rows[0], rows[0]], expected: [rows[0]])?.contains("too much") == true)
    }
}
