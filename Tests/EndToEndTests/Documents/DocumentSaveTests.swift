// Processes that save one document at the same time, and are killed.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct DocumentSaveTests {
    /// The edits that the processes logged.
    private struct Log {
        var saved: Set<String> = []
        /// The edits that were made from each version.
        var bases: [String: Set<String>] = [:]

        init(_ text: String) {
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ").map(String.init)
                switch words.first {
                case "saved": saved.insert(words[1])
                case "base": bases[words[1], default: []].insert(words[2])
                case "replaced":
                    saved.insert(words[2])
                    bases[words[1], default: []].insert(words[2])
                default: break
                }
            }
        }
    }

    private func text(_ path: String) throws -> String {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3 && lines[1].count == 5_000, "\(path) is torn")
        return String(lines[0])
    }

    /// The surroundings of the savers.
    enum Surroundings: CaseIterable {
        case alone
        /// Beside a program that replaces the file without the folder's lock.
        case besideOtherPrograms
        /// On a file system that locks no folders, and that has no flags of renameat2(2).
        case refusedCalls

        static var possible: [Surroundings] {
            allCases.filter { $0 != .refusedCalls || RefusedCalls.arePossible }
        }
    }

    private func saver(_ surroundings: Surroundings, _ arguments: [String]) -> ChildProcess {
        guard surroundings == .refusedCalls else { return ChildProcess(.saver, arguments) }
        let start = RefusedCalls.around(Product.saver.path, arguments)
        return ChildProcess(path: start.program, start.arguments)
    }

    /// Every edit that was saved is the current version, a conflict version, or was loaded by one that replaced it.
    @Test(arguments: Surroundings.possible) func noSavedEditIsLost(_ surroundings: Surroundings) async throws {
        let seed = TestLength.seed(1)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let directory = NSTemporaryDirectory() + "gather-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (path, log) = (directory + "/folder/doc.txt", directory + "/log")
        try FileManager.default.createDirectory(atPath: directory + "/folder", withIntermediateDirectories: false)
        try Data(("first\n" + String(repeating: ".", count: 5_000) + "\n").utf8).write(to: URL(filePath: path))

        for round in 1...(TestLength.isLong ? 200 : 8) {
            var savers = (1...2).map { saver(surroundings, [path, log, "p\(round).\($0)", "100000"]) }
            if surroundings == .besideOtherPrograms {
                savers.append(ChildProcess(.saver, ["--exchange", path, log, "x\(round)", "100000"]))
            }
            // Both are at work before the edits count.
            while savers.allSatisfy(\.isRunning) {
                let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
                if (1...2).allSatisfy({ text.contains("p\(round).\($0)-") }) { break }
                await Task.yield()
            }
            // The moment of the kill is counted in edits, so that it is somewhere within a save.
            let edits = Int.random(in: 5...60, using: &random)
            let start = logLines(log)
            while logLines(log) < start + edits {
                guard savers.allSatisfy(\.isRunning) else { break }
                await Task.yield()
            }
            for saver in savers.shuffled(using: &random) {
                #expect(saver.isRunning)
                saver.kill(SIGKILL)
                let result = await saver.result()
                #expect(result.status == 128 + SIGKILL, "\(result.errors)")
            }
        }
        // Whatever a killed process left is completed by whoever opens the document next.
        let document = Document<Anything>(path: FilePath(path), options: DocumentOptions(followsChanges: false))
        try await document.open()
        let current = try text(path)
        #expect(try await document.contents.bytes.starts(with: current.utf8))
        let conflicts = try FileVersion.conflicts(of: FilePath(path)).map { try text($0.path.string) }
        let all = Log(try String(contentsOfFile: log, encoding: .utf8))
        // An exchange whose process was killed before it could log leaves its file beside the document.
        let others = try FileManager.default.contentsOfDirectory(atPath: directory + "/folder")
            .filter { $0.hasPrefix("doc.txt.x") }
            .compactMap { try? String(contentsOfFile: directory + "/folder/" + $0, encoding: .utf8) }
            .compactMap { $0.split(separator: "\n").first.map(String.init) }
        let present = Set([current] + conflicts + others)
        let lost = all.saved.filter { edit in
            guard !present.contains(edit) else { return false }
            let successors = all.bases[edit] ?? []
            return !successors.contains { present.contains($0) || all.saved.contains($0) || all.bases[$0] != nil }
        }
        #expect(lost.isEmpty, "seed \(seed): \(all.saved.count) edits, \(conflicts.count) conflicts, lost \(lost)")
        #expect(all.saved.count > 20 && (surroundings == .besideOtherPrograms || !conflicts.isEmpty))
        // The next saver takes the lock file of one that was killed.
        let lockFile = ".syncthing.gather.lock.tmp"
        let left = try FileManager.default.contentsOfDirectory(atPath: directory + "/folder").filter {
            $0.hasPrefix(".") && $0 != lockFile
        }
        #expect(left == [])
        try await document.close()
    }

    private func logLines(_ path: String) -> Int {
        (try? Data(contentsOf: URL(filePath: path)))?.count { $0 == 10 } ?? 0
    }

    private struct Anything: DocumentContents {
        var bytes: [UInt8]
        init(bytes: [UInt8]) { self.bytes = bytes }
    }
}
