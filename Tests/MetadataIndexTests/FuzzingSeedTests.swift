// The seeds that fuzzing of saved state begins from can be read, so that what is made of them gets behind the first check.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import MetadataIndex

/// After a change of the formats, `GATHER_WRITE_SEEDS=1 swift test --filter FuzzingSeedTests` writes them anew.
@Suite struct FuzzingSeedTests {
    private static let directory = URL(filePath: SourceTree.root + "/Tests/Fuzzing/Corpus/state")

    @Test(arguments: 0..<4 as Range<UInt64>) func seedsAreOfTodaysFormat(_ number: UInt64) throws {
        let file = Self.directory.appending(path: "0\(number)")
        if ProcessInfo.processInfo.environment["GATHER_WRITE_SEEDS"] != nil {
            try Data(Self.seed(number)).write(to: file)
        }
        let bytes = [UInt8](try Data(contentsOf: file))
        let journal = Self.journalStart(in: bytes)
        let index = try Saved.index(
            Array(bytes[..<(journal ?? bytes.count)]), journal: journal.map { [Array(bytes[$0...])] } ?? [])
        #expect(index.checkInvariants() == nil)
        #expect(index.count > 1)
        // The first has no journal, the others have.
        #expect((journal != nil) == (number > 0))
    }

    /// A small index after random changes, and all but the first a journal of some more.
    private static func seed(_ number: UInt64) throws -> [UInt8] {
        var pair = Pair(seed: number)
        pair.largest = 14
        for _ in 0..<160 { _ = try pair.step() }
        _ = pair.index.takeChanges()
        var bytes = pair.index.saved(attachment: [7])
        guard number > 0 else { return bytes }
        var writer = JournalEncoder(Saved.header)
        for turn in 0..<number * 4 {
            for _ in 0..<3 { _ = try pair.step() }
            let set = pair.index.takeChanges()
            if !set.isEmpty { _ = writer.append(set, of: pair.index, sequence: 101 + turn) }
        }
        bytes += Saved.header.bytes + writer.bytes
        return bytes
    }

    private static func journalStart(in bytes: [UInt8]) -> Int? {
        (0...(bytes.count - 8)).last { Saved.number(bytes, $0, UInt64.self) == JournalFormat.magic }
    }
}
