// A subscriber that stands still for a while, as a debugger or Ctrl-Z has it stand: afterwards it holds what is there.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct StoppedSubscriberTests {
    /// So that what is told of a few thousand files fills the socket and the pipe many times over.
    private static let longName = String(repeating: "n", count: 150)

    /// The items that the lines of `gather watch --json` amount to: paths by id.
    private struct Held {
        private struct Line: Decodable {
            struct Item: Decodable {
                var id: String
                var path: String
            }
            var event: String
            var item: Item?
            var id: String?
        }

        private(set) var paths: [String: String] = [:]

        /// Takes a line in; true where it closes a batch.
        mutating func take(_ text: String) throws -> Bool {
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            switch line.event {
            case "result", "added":
                let item = try #require(line.item, "\(text)")
                #expect(paths.updateValue(item.path, forKey: item.id) == nil, "added twice: \(text)")
            case "changed":
                let item = try #require(line.item, "\(text)")
                #expect(paths.updateValue(item.path, forKey: item.id) != nil, "changed, not held: \(text)")
            case "removed":
                let id = try #require(line.id, "\(text)")
                #expect(paths.removeValue(forKey: id) != nil, "removed, not held: \(text)")
            case "started": break
            case "gathered", "updated": return true
            default: Issue.record("\(text)")
            }
            return false
        }
    }

    @Test func `Stopped through a churn, it holds afterwards what is there`() async throws {
        let daemon = try await TestDaemon { box in
            for number in 0..<200 { try Change.write("1", to: "\(box)/first\(number)") }
        }
        let box = daemon.box
        let watch = ChildProcess(
            .gather, ["watch", "", "--json", "--attributes", "path", "--socket", daemon.socket.path])
        var held = Held()
        /// Follows to the end of the batch that has this path.
        func follow(to path: String) async throws {
            while true {
                let isEnd = try held.take(try #require(await watch.nextLine(), "the watch ended"))
                if isEnd, held.paths.values.contains(path) { return }
            }
        }
        // It is live when it tells of this one.
        try Change.write("", to: box + "/begin")
        try await follow(to: box + "/begin")

        watch.kill(SIGSTOP)
        while try !isStopped(watch.processID) {}
        for round in 0..<6 {
            let directory = "\(box)/d\(round)"
            try Change.directory(directory)
            for number in 0..<500 { try Change.write("1", to: "\(directory)/\(Self.longName)\(number)") }
            for number in 0..<100 { try Change.write("22", to: "\(directory)/\(Self.longName)\(number)") }
            for number in 100..<200 { try Change.remove("\(directory)/\(Self.longName)\(number)") }
            for number in 200..<300 {
                try Change.rename("\(directory)/\(Self.longName)\(number)", "\(box)/\(Self.longName)\(round)-\(number)")
            }
            // Gone and there again, under the names of others.
            for number in 300..<350 {
                let one = "\(directory)/\(Self.longName)\(number)"
                try Change.rename(one, one + "x")
                try Change.rename("\(directory)/\(Self.longName)\(number + 50)", one)
            }
            for number in 0..<20 { try Change.remove("\(box)/first\(round * 20 + number)") }
            if round % 2 == 1 {
                try Change.rename("\(box)/d\(round - 1)", "\(box)/e\(round)")
                try Change.removeTree(directory)
            }
            // The daemon tells of each round before the next, and serves others meanwhile.
            try await daemon.client.flush()
            #expect(try await daemon.client.count("").count == walk(box).count)
        }
        watch.kill(SIGCONT)

        // A large difference comes in several replies, in no order of the changes. So the file that was made last may be in
        // one that is not the last. A change that is lost stays lost, however many files follow.
        for number in 0..<10 {
            try Change.write("", to: box + "/end\(number)")
            try await follow(to: box + "/end\(number)")
            if held.paths.values.sorted() == walk(box).sorted() { break }
            try await daemon.client.flush()
        }
        #expect(held.paths.values.sorted() == walk(box).sorted())
        watch.kill(SIGKILL)
    }

    private func walk(_ directory: String) -> [String] {
        (FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []).map {
            directory + "/" + $0
        }
    }

    /// Whether the kernel shows the process as stopped (proc_pid_stat(5)).
    private func isStopped(_ process: pid_t) throws -> Bool {
        let text = String(decoding: try Data(contentsOf: URL(filePath: "/proc/\(process)/stat")), as: UTF8.self)
        let state = text[(text.lastIndex(of: ")") ?? text.startIndex)...].dropFirst(2).first
        return state == "T"
    }
}
