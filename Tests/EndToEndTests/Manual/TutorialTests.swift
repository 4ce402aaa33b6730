// The tutorials of GatherKit and GatherDocuments: their code is code that is compiled and run.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct TutorialTests {
    private func text(_ path: String) throws -> String { try SourceTree.text(path) }

    private func resource(_ name: String) throws -> String {
        try text("Sources/GatherKit/GatherKit.docc/Resources/\(name).swift")
    }

    @Test func `The tutorial's last step is the compiled program, in thirty lines, and each step leads there`() throws {
        let compiled = try text("Tests/EndToEndTests/Manual/LiveList.swift")
        #expect(try resource("LiveList-3") == compiled)
        let whole = compiled.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(whole.count <= 31)
        for step in 1...2 {
            var rest = whole[...]
            for line in try resource("LiveList-\(step)").split(separator: "\n", omittingEmptySubsequences: false) {
                let place = try #require(rest.firstIndex(of: line), "step \(step): \(line)")
                rest = rest[(place + 1)...]
            }
        }
    }

    @Test func `The blocks of the article on tiny pictures are the example, whole and in order`() throws {
        let article = try text("Sources/GatherDocuments/GatherDocuments.docc/DrawingTinyPictures.md")
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
        let folder = "Tests/Examples/Sources/tinypix/"
        let files = try ["Picture", "Gallery", "Gallery+Editing", "TinyPix"].map { try text(folder + $0 + ".swift") }
        #expect(blocks.count > 5)
        #expect(blocks.joined(separator: "\n\n") + "\n" == files.joined(separator: "\n"))
        #expect(files.joined().filter { $0 == "\n" }.count < 200)
    }

    @Test func `The list is live, sorted, and says when it may be out of date`() async throws {
        let daemon = try await TestDaemon()
        try Change.write("12", to: daemon.box + "/note10.md")
        try Change.write("1", to: daemon.box + "/note2.md")
        try Change.write("", to: daemon.box + "/other.txt")
        // The predicate of the tutorial's program.
        let predicate = try #require(try resource("LiveList-main").split(separator: "\"").dropFirst().first)
        let (lists, shown) = AsyncStream.makeStream(of: [String].self)
        let list = LiveList(String(predicate), in: "box", of: daemon.client.daemon)
        let task = Task { try await list.follow { shown.yield($0) } }
        var iterator = lists.makeAsyncIterator()

        // A change may come in several steps: a file is there before it is written to.
        func expect(_ wanted: [String]) async throws {
            var last: [String]?
            repeat { last = await iterator.next() } while last != nil && last != wanted
            #expect(last == wanted)
        }
        try await expect(["note2.md  1", "note10.md  2"])
        try Change.write("123", to: daemon.box + "/note3.md")
        try await expect(["note2.md  1", "note3.md  3", "note10.md  2"])
        try Change.rename(daemon.box + "/note3.md", daemon.box + "/note20.md")
        try await expect(["note2.md  1", "note10.md  2", "note20.md  3"])
        try Change.remove(daemon.box + "/note2.md")
        try await expect(["note10.md  2", "note20.md  3"])

        await daemon.kill()
        let warning = try #require(await iterator.next())
        #expect(warning.count == 1 && warning[0].hasPrefix("("))
        try Change.remove(daemon.box + "/note10.md")
        try await daemon.restart()
        try await expect(["note20.md  3"])
        task.cancel()
        _ = await task.result
    }
}
