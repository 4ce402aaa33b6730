// Wrong states in gatherd, in Syncthing's patterns and in the lists do not last, between two real Syncthings.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: SyncMachine.isInstalled, "syncthing is not installed"))
struct ComparisonTests {
    private static let isHere = "downloadingStatus == 'current' AND isUploaded == TRUE AND path CONTAINS '/d/'"
    private static let isAway = "downloadingStatus == 'notDownloaded'"

    /// Two machines with `d/away`, which B has evicted, and `d/here`.
    private static func pair() async throws -> SyncPair {
        let pair = try await SyncPair()
        for file in ["d/away", "d/here"] { try pair.a.save(file, "the text of \(file)") }
        try await pair.b.until(isHere, ["d/away", "d/here"])
        let answer = try await pair.b.sharing("Evict", ["paths": [pair.b.box + "/d/away"]])
        #expect(answer.error == nil, "\(answer)")
        try await pair.b.until(isAway, ["d/away"])
        // The state is that of a report, and not the one that the item has since it left.
        try await pair.a.until("isUploaded == FALSE AND path CONTAINS '/d/'", ["d/away"])
        return pair
    }

    /// Waits until so many differences were counted, which is after they were set right.
    private static func untilCorrected(_ machine: SyncMachine, _ count: Int) async throws {
        let patience = Patience()
        while try await machine.sharing("Status").parameters["corrections"] as? Int ?? -1 < count {
            try #require(!patience.isOver, "there are fewer than \(count) corrections")
        }
    }

    private static func patterns(_ machine: SyncMachine) async throws -> [String] {
        let answer = try await machine.rest("GET", "/rest/db/ignores?folder=gather-box") as? [String: Any]
        return answer?["ignore"] as? [String] ?? []
    }

    private static func text(_ machine: SyncMachine, _ path: String) -> String? {
        try? String(contentsOfFile: machine.box + "/" + path, encoding: .utf8)
    }

    @Test func statesThatGatherdHasWrongAreSetRight() async throws {
        let pair = try await Self.pair()
        let b = pair.b
        // As if reports of the helper had been lost or overtaken: an item that is gone, one that is not here, one that is.
        for item: [String: Any] in [
            ["path": "d/away"],
            ["path": "d/ghost", "state": ["download": "notDownloaded"], "size": 7],
            ["path": "d/here", "state": ["download": "downloaded", "uploadedTo": [String]()]],
        ] {
            let answer = try await b.sync("Report", ["items": [item]])
            #expect(answer.parameters["changed"] as? Int == 1, "\(answer)")
        }
        // Anything that is reported has all compared, at the latest.
        try b.save("d/new", "x")
        try await b.until(Self.isAway, ["d/away"])
        try await b.until(Self.isHere, ["d/here", "d/new"])
        // The first one is in the feed of changes, too.
        try await Self.untilCorrected(b, 2)
    }

    @Test func aBaseThatGatherdHasWrongIsSetRight() async throws {
        let pair = try await Self.pair()
        let b = pair.b
        func base() async throws -> [String]? {
            let states = try await b.sync("States")
            return (states.parameters["base"] as? [String: Any])?["uploadedTo"] as? [String]
        }
        #expect(try await base() == ["A"])
        let answer = try await b.sync("Report", ["base": ["uploadedTo": ["none"]]])
        #expect(answer.error == nil, "\(answer)")
        #expect(try await base() == ["none"])
        try b.save("d/new", "x")
        try await Self.untilCorrected(b, 1)
        #expect(try await base() == ["A"])
    }

    @Test func patternsThatNameOtherFilesAreCompared() async throws {
        let pair = try await Self.pair()
        let (a, b) = (pair.a, pair.b)
        let lines = try await Self.patterns(b)
        try #require(lines.contains("/d/away"))
        // The pattern of a file that is here would hold back its changes.
        let others = lines.map { $0 == "/d/away" ? "/d/here" : $0 }
        try await b.rest("POST", "/rest/db/ignores?folder=gather-box", ["ignore": others])
        try await b.until(Self.isHere, ["d/away", "d/here"])
        try await b.until(Self.isAway, [])
        #expect(try await !Self.patterns(b).contains { $0.hasPrefix("/d/") })
        for name in ["d/away", "d/here"] { #expect(Self.text(a, name) == "the text of \(name)") }
        try b.save("d/here", "another text")
        try await a.until("size == 12", ["d/here"])
        try await Self.untilCorrected(b, 2)
    }

    /// Without the list, another device would count this one among those that have the file.
    @Test func nothingIsEvictedWhileTheListCannotBeWritten() async throws {
        let pair = try await Self.pair()
        let (a, b) = (pair.a, pair.b)
        #expect(chmod(b.box + "/.gather-sync", 0o555) == 0)
        let refused = try await b.sharing("Evict", ["paths": [b.box + "/d/here"]])
        #expect(refused.error == "Failed", "\(refused)")
        #expect("\(refused.parameters)".contains("cannot be written"), "\(refused)")
        #expect(Self.text(b, "d/here") == "the text of d/here")
        try await b.until(Self.isAway, ["d/away"])
        #expect(try await !Self.patterns(b).contains("/d/here"))
        let findings = try await b.sharing("Check").list("findings")
        #expect(findings.contains { "\($0)".contains("notWritable") }, "\(findings)")
        #expect(chmod(b.box + "/.gather-sync", 0o755) == 0)
        let evicted = try await b.sharing("Evict", ["paths": [b.box + "/d/here"]])
        #expect(evicted.error == nil, "\(evicted)")
        try await b.until(Self.isAway, ["d/away", "d/here"])
        // A list that cannot be read may have any file.
        let list = a.box + "/.gather-sync/evicted-\(b.device.prefix(7))"
        try await a.until("isUploaded == FALSE AND path CONTAINS '/d/'", ["d/away", "d/here"])
        #expect(chmod(list, 0) == 0)
        let last = try await a.sharing("Evict", ["paths": [a.box + "/d/here"]])
        #expect(last.error == "NotUploaded" && Self.text(a, "d/here") != nil, "\(last)")
    }

    @Test func aListThatIsWrongIsWrittenAgain() async throws {
        let pair = try await Self.pair()
        let (a, b) = (pair.a, pair.b)
        let list = b.box + "/.gather-sync/evicted-\(b.device.prefix(7))"
        #expect(try String(contentsOfFile: list, encoding: .utf8) == "d/away\n")
        try b.save(".gather-sync/evicted-\(b.device.prefix(7))", "d/here\n")
        try await b.rest("POST", "/rest/db/scan?folder=gather-box")
        // Whether A hears of the wrong list first depends on the moment.
        try a.save("d/new", "x")
        try await a.until(Self.isHere, ["d/here", "d/new"])
        try await a.until("isUploaded == FALSE AND path CONTAINS '/d/'", ["d/away"])
        #expect(try String(contentsOfFile: list, encoding: .utf8) == "d/away\n")
    }
}
