// The index against its model, over long random runs.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import MetadataIndex

@Suite struct MetadataIndexModelTests {
    @Test(arguments: TestLength.part(of: 1...12 as ClosedRange<UInt64>, oneIn: 2))
    func randomChangesLeadToTheModel(seed: UInt64) throws {
        var pair = Pair(seed: seed)
        for number in 0..<1_500 {
            let (what, failure) = try pair.step()
            try #require(failure == nil, "seed \(seed), step \(number), \(what)")
            if number % 8 == 0 { try #require(pair.failure() == nil, "seed \(seed), step \(number), \(what)") }
        }
    }

    /// The same over the end of a block, with slots of several blocks free.
    @Test(arguments: TestLength.part(of: [21, 22, 23, 24] as [UInt64], oneIn: 2))
    func randomChangesAcrossBlocks(seed: UInt64) throws {
        var pair = Pair(seed: seed)
        try pair.fill(4_300)
        for number in 0..<240 {
            let (what, failure) = try pair.step()
            try #require(failure == nil, "seed \(seed), step \(number), \(what)")
            if number % 80 == 79 { try #require(pair.failure() == nil, "seed \(seed), step \(number), \(what)") }
        }
    }

    /// A snapshot stays as it is under whatever happens later, and while others are held.
    @Test(arguments: 31...36 as ClosedRange<UInt64>)
    func snapshotsStay(seed: UInt64) throws {
        var pair = Pair(seed: seed)
        if seed == 31 { try pair.fill(4_200) }
        var held: [(IndexSnapshot, Model)] = []
        for number in 0..<600 {
            if number % 40 == 0 {
                pair.index.storage.settle()
                held.append((pair.index.snapshot(), pair.model))
            }
            if number % 100 == 99 { held.remove(at: Int.random(in: 0..<held.count, using: &pair.generator)) }
            let (what, failure) = try pair.step()
            try #require(failure == nil, "seed \(seed), step \(number), \(what)")
        }
        try #require(pair.failure() == nil, "seed \(seed)")
        for (snapshot, model) in held {
            let rows = (1..<UInt32(snapshot.blockCount * IndexSnapshot.rowsPerBlock)).map { Row($0) }
            try #require(model.difference(from: snapshot, rows: rows) == nil, "seed \(seed)")
            var cursor = PathCursor(snapshot)
            for row in rows where snapshot.isLive(row) {
                var path: Path = []
                cursor.appendPath(of: row, to: &path)
                var whole: Path = []
                snapshot.appendPath(of: row, to: &whole)
                #expect(path == whole, "seed \(seed)")
            }
        }
    }
}

extension MetadataIndexModelTests {
    /// Another thread reads a snapshot while the index goes on writing, to shared blocks and to shared arenas.
    @Test(arguments: [41, 42] as [UInt64])
    func snapshotsAreReadWhileTheIndexIsWritten(seed: UInt64) async throws {
        var pair = Pair(seed: seed)
        try pair.fill(4_200)
        for _ in 0..<4 {
            let snapshot = pair.index.snapshot()
            let expected = digest(of: snapshot)
            async let found = digest(of: snapshot)
            for number in 0..<25 {
                let (what, failure) = try pair.step()
                try #require(failure == nil, "seed \(seed), step \(number), \(what)")
            }
            #expect(await found == expected, "seed \(seed)")
        }
    }
}

/// A number that tells snapshots apart: every value, path and scan goes into it.
func digest(of snapshot: IndexSnapshot) -> Int {
    var hasher = Hasher()
    for block in 0..<snapshot.blockCount {
        var bits = snapshot.liveRows(inBlock: block)
        bits.forEach { place in
            let row = IndexSnapshot.row(block: block, place: place)
            hasher.combine(snapshot.identifier(of: row))
            hasher.combine(snapshot.status(of: row))
            hasher.combine(snapshot.xattrs(of: row))
            hasher.combine(snapshot.path(of: row))
        }
        Array("fil".utf8).withUnsafeBytes { snapshot.select(.infix, $0, inBlock: block, among: &bits) }
        hasher.combine(bits.count)
    }
    return hasher.finalize()
}

extension Pair {
    /// Adds entries in directories of a hundred, without the change record growing.
    mutating func fill(_ count: Int) throws {
        largest = .max
        var directory: Path = []
        for number in 0..<count {
            let isDirectory = number % 100 == 0
            let parent: Path = isDirectory ? [] : directory
            let name = Array("filled-\(number)".utf8)
            let path = parent.appending(name)
            let status: FileStatus = .sample(isDirectory ? .directory : .file, inode: UInt64(50 + number))
            let above = self.row(parent)
            let row = try name.withUnsafeBytes { try index.insert(parent: above, name: $0, status: status) }
            _ = adopt(row, at: path, status)
            if isDirectory { directory = path }
        }
        _ = index.takeChanges()
    }
}
