// Detached rows outlive the process, if the next one goes on with the events that bring them again.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import MetadataIndex

@Suite struct SavedDetachedRowsTests {
    private func status(_ kind: FileKind, _ inode: UInt64, changed: Int64 = 1_000_000_000) -> FileStatus {
        var status = FileStatus.sample(kind, inode: inode, created: Timestamp(nanoseconds: 1))
        status.changed = Timestamp(nanoseconds: changed)
        return status
    }

    /// The directory d with a file that has changed since its birth, one that has not, and one that was never looked at; all of it
    /// detached, and the slots of others free.
    private func begin() throws -> (index: MetadataIndex, known: [ItemIdentifier?]) {
        let index = MetadataIndex(root: .sample(.directory))
        let free = try (0..<6).map { try index.insert("free \($0)", below: .root, status(.file, 50 + $0)) }
        let d = try index.insert("d", below: .root, status(.directory, 2))
        var unknown = status(.file, 5)
        unknown.identity = .unknown
        let rows = [
            d, try index.insert("old", below: d, status(.file, 3)),
            try index.insert("young", below: d, status(.file, 4, changed: 1)),
            try index.insert("unknown", below: d, unknown),
        ]
        let known = rows.map { index.identifier(of: $0) }
        for row in free[..<3] { try index.remove(row) }
        try index.detach(d)
        for row in free[3...] { try index.remove(row) }
        _ = index.takeChanges()
        return (index, known)
    }

    private func comeAgain(_ index: MetadataIndex) throws -> [ItemIdentifier?] {
        let d = try index.insert("e", below: .root, status(.directory, 2))
        return try [
            d, index.insert("renamed", below: d, status(.file, 3)),
            index.insert("young", below: d, status(.file, 4, changed: 1)),
            index.insert("unknown", below: d, status(.file, 60)),
        ].map { index.identifier(of: $0) }
    }

    @Test func `It has its identities when it comes again`() throws {
        let (index, known) = try begin()
        let bytes = index.savedDetached(limit: 4_096)
        let restored = try Saved.index(index.saved())
        restored.restoreDetached(saved: bytes)
        #expect(restored.checkInvariants() == nil)
        #expect(try comeAgain(restored) == known)
        #expect(restored.checkInvariants() == nil)
        // All free slots are there still.
        let (count, slots) = (restored.count, restored.count + 6)
        for number in 0..<6 {
            let row = try restored.insert("f\(number)", below: .root, status(.file, 70 + UInt64(number)))
            #expect(row.number <= UInt32(slots))
        }
        #expect(restored.count == count + 6 && restored.checkInvariants() == nil)
    }

    @Test func `A row that does not come again is gone`() throws {
        let (index, known) = try begin()
        let restored = try Saved.index(index.saved())
        restored.restoreDetached(saved: index.savedDetached(limit: 4_096))
        restored.endDetached()
        #expect(restored.checkInvariants() == nil)
        #expect(Set(try comeAgain(restored)).isDisjoint(with: known))
    }

    @Test func `If there is no room, a directory comes before what lay in it`() throws {
        let (index, known) = try begin()
        let whole = index.savedDetached(limit: 4_096)
        let part = index.savedDetached(limit: whole.count / 2)
        #expect(!part.isEmpty && part.count <= whole.count / 2)
        let restored = try Saved.index(index.saved())
        restored.restoreDetached(saved: part)
        let again = try comeAgain(restored)
        #expect(again[0] == known[0] && again != known)
        #expect(index.savedDetached(limit: 0) == [] && restored.checkInvariants() == nil)
    }

    /// The bytes are not checked before: whatever stands there, the index is whole, and no slot is given twice.
    @Test func `Damaged bytes leave the index whole`() throws {
        let seed = TestLength.seed(1)
        var random = SeededGenerator(seed: seed)
        let (index, _) = try begin()
        let bytes = index.savedDetached(limit: 4_096)
        let saved = index.saved()
        for round in 0..<400 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                damaged[place] =
                    round.isMultiple(of: 2) ? .random(in: 0...10, using: &random) : .random(in: 0...255, using: &random)
            }
            if round.isMultiple(of: 5) { damaged.removeLast(Int.random(in: 1..<damaged.count, using: &random)) }
            if round.isMultiple(of: 7) { damaged += damaged }
            let restored = try Saved.index(saved)
            restored.restoreDetached(saved: damaged)
            #expect(restored.checkInvariants() == nil, "seed \(seed)")
            _ = try comeAgain(restored)
            restored.endDetached()
            #expect(restored.checkInvariants() == nil, "seed \(seed)")
        }
    }
}
