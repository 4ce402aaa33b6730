// The parts of a folder that one scan covers.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import SyncService

struct ScanPartsTests {
    /// Whether a scan of one path includes another.
    private static func covers(_ part: String, _ path: String) -> Bool {
        Array(path.utf8).starts(with: Array(part.utf8))
            && (part.utf8.count == path.utf8.count || path.dropFirst(part.count).first == "/")
    }

    @Test(arguments: UInt64(1)...30) func everyPathIsScannedOnce(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = [1, 5, 50, 500, 5_000].randomElement(using: &random) ?? 1
        let names = Int.random(in: 2...40, using: &random)
        let paths = Set(
            (0..<count).map { _ in
                (0..<Int.random(in: 1...4, using: &random)).map { _ in "n\(Int.random(in: 0..<names, using: &random))" }
                    .joined(separator: "/")
            })
        guard let parts = ScanParts.covering(paths) else {
            // More of them than one request takes, and a path at the top has no directory but the folder.
            #expect(paths.count > SyncLimits.scannedPaths, "seed \(seed)")
            return
        }
        #expect(parts.count <= SyncLimits.scannedPaths)
        for path in paths {
            #expect(parts.filter { Self.covers($0, path) }.count == 1, "seed \(seed): \(path)")
        }
        for part in parts {
            #expect(paths.contains { Self.covers(part, $0) }, "seed \(seed): nothing changed in \(part)")
            if paths.count <= SyncLimits.scannedPaths { #expect(paths.contains(part), "seed \(seed): \(part)") }
        }
    }

    @Test func longPathsBecomeTheirDirectories() {
        let long = String(repeating: "x", count: 200)
        let many = Set((0..<150).map { "d/\(long)\($0)/\(String(repeating: long, count: 5))" })
        #expect(ScanParts.covering(many)?.count == 150)
        let more = Set((0..<SyncLimits.scannedPaths + 1).map { "d/e/\(long)\($0)" })
        #expect(ScanParts.covering(more) == ["d/e"])
        #expect(ScanParts.covering(more.union(["top"])) == nil)
    }

    /// A directory whose change is not sorted yet stands for what lies inside, if that is much.
    @Test func manyPathsBecomeTheDirectoriesThatChanged() {
        let inner = Set((0..<300).map { "Pictures/b/\($0)" })
        let moved = inner.union(["Pictures/a"])
        #expect(ScanParts.covering(moved, or: ["Pictures/b"]) == ["Pictures/a", "Pictures/b"])
        #expect(ScanParts.covering(moved) == ["Pictures"])
        #expect(ScanParts.covering(["Pictures/b/1"], or: ["Pictures/b"]) == ["Pictures/b/1"])
        #expect(ScanParts.covering(inner.union(["top"]), or: ["other"]) == nil)
    }
}
