// The index against its model, over long random runs.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct MetadataIndexModelTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func randomChangesLeadToTheModel(seed: UInt64) throws {
        var pair = Pair(seed: seed)
        for number in 0..<1_500 {
            let (what, failure) = try pair.step()
            try #require(failure == nil, "seed \(seed), step \(number), \(what)")
            if number % 8 == 0 { try #require(pair.failure() == nil, "seed \(seed), step \(number), \(what)") }
        }
    }

    /// The same over the end of a block, with slots of several blocks free.
    @Test(arguments: [21, 22] as [UInt64])
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
            if number % 40 == 0 { held.append((pair.index.snapshot(), pair.model)) }
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
