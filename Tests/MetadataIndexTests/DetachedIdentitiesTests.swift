// Entries that go and may come again: identities are kept, and none is given twice.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct DetachedIdentitiesTests {
    /// A second after its birth.
    private func status(_ kind: FileKind, _ inode: UInt64, links: UInt32 = 1, born: Int64 = 1) -> FileStatus {
        var status = FileStatus.sample(kind, inode: inode, links: links, created: Timestamp(nanoseconds: born))
        status.changed = Timestamp(nanoseconds: 1_000_000_000)
        return status
    }

    /// The directory d with the files a and b, where b has two links, and their identifiers.
    private func begin() throws -> (MetadataIndex, [ItemIdentifier?]) {
        let index = MetadataIndex(root: .sample(.directory))
        let d = try index.insert("d", below: .root, status(.directory, 2))
        let rows = [
            d, try index.insert("a", below: d, status(.file, 3)),
            try index.insert("b", below: d, status(.file, 4, links: 2)),
        ]
        _ = index.takeChanges()
        return (index, rows.map { index.identifier(of: $0) })
    }

    @Test func `The one that has been kept longest ends first, where it came again in between`() throws {
        var identities = DetachedIdentities()
        func keep(_ number: UInt64) -> UInt32? {
            let identity = DetachedIdentities.Identity(row: UInt32(number), generation: 1, isDirectory: false)
            return identities.keep(identity, of: status(.file, number).identity)?.row
        }
        #expect(keep(1) == nil && keep(2) == nil)
        #expect(identities.take(status(.file, 1))?.row == 1)
        for number in [1] + (3...UInt64(DetachedIdentities.mostIdentities)) { #expect(keep(number) == nil) }
        #expect(keep(1 << 20) == 2)
        #expect(keep(1 << 21) == 1)
    }

    /// Each turn's snapshot reads the order from its end.
    @Test func `Those that came again leave the order`() {
        var identities = DetachedIdentities()
        for number in 1...UInt64(20_000) {
            let identity = DetachedIdentities.Identity(row: UInt32(number), generation: 1, isDirectory: false)
            #expect(identities.keep(identity, of: status(.file, number).identity) == nil)
        }
        let before = identities.byteCount
        for number in 101...UInt64(20_000) { #expect(identities.take(status(.file, number))?.row == UInt32(number)) }
        #expect(identities.byteCount < before - 15_000 * 48)
        #expect(identities.lastFirst.map(\.identity.row) == (1...100).reversed())
    }

    @Test func `A row that comes again in one set has only moved`() throws {
        let (index, known) = try begin()
        try index.detach(Row(1))
        #expect(index.count == 0 && index.checkInvariants() == nil)
        let other = try index.insert("d", below: .root, status(.directory, 9))
        let again = try index.insert("e", below: other, status(.directory, 2))
        var rows: [Row] = []
        try index.insertChildren(
            of: again, Array("ab".utf8), [1, 1], [status(.file, 3), status(.file, 4, links: 2)], recording: false,
            into: &rows)
        #expect(index.identifier(of: again) == known[0] && index.identifier(of: rows[0]) == known[1])
        #expect(index.identifier(of: rows[1]) != known[2], "it may be another of its names")
        index.endDetached()
        #expect(index.checkInvariants() == nil)
        let set = index.takeChanges()
        let changes = (0..<set.count).compactMap { set.transition(at: $0, in: index) }
        let identifier = try #require(known[0])
        #expect(changes.contains(.changed(identifier)))
        #expect(set.index(of: rows[0]) == nil, "it lies where it lay, in the same directory")
        let view = set.preImageView(in: index.snapshot())
        #expect(view.path(of: again) == "d" && view.path(of: rows[0]) == "d/a")
    }

    @Test func `A row that comes again later went and came, and one that does not is gone`() throws {
        let (index, known) = try begin()
        try index.detach(Row(1))
        let gone = index.takeChanges()
        #expect(Set((0..<gone.count).compactMap { gone.transition(at: $0, in: index) }).count == 3)
        let again = try index.insert("d", below: .root, status(.directory, 2))
        let come = index.takeChanges()
        let identifier = try #require(known[0])
        #expect(come.count == 1 && come.transition(at: 0, in: index) == .added(identifier))
        index.endDetached()
        let late = try index.insert("a", below: again, status(.file, 3))
        #expect(!known.contains(index.identifier(of: late)) && index.checkInvariants() == nil)
    }

    @Test func `Other rows do not get a kept identity`() throws {
        let (index, known) = try begin()
        try index.detach(Row(1))
        for (name, status) in [
            ("born later", status(.directory, 2, born: 5)), ("a file", status(.file, 2)),
            ("linked", status(.file, 3, links: 2)),
            ("unborn", .sample(.file, inode: 3)), ("other", status(.file, 8)),
        ] {
            let row = try index.insert(name, below: .root, status)
            #expect(!known.contains(index.identifier(of: row)), "\(name)")
        }
        // Saved while they are kept: no row gets them later.
        let restored = try Saved.index(index.saved())
        #expect(restored.checkInvariants() == nil)
        for name in ["x", "y", "z"] {
            let row = try restored.insert(name, below: .root, status(.file, 3))
            #expect(!known.contains(restored.identifier(of: row)))
        }
        // The same file twice, by two rows: the later counts, and no slot is lost.
        let one = try index.insert("one", below: .root, status(.file, 20))
        let two = try index.insert("two", below: .root, status(.file, 20))
        let later = index.identifier(of: two)
        try index.detach(one)
        try index.detach(two)
        #expect(index.checkInvariants() == nil)
        let three = try index.insert("three", below: .root, status(.file, 20))
        #expect(index.identifier(of: three) == later)
        index.detachAll()
        #expect(index.checkInvariants() == nil && index.attachAll() && index.checkInvariants() == nil)
    }

    /// The file that has replaced it was never looked at.
    @Test func `The name of an unknown file is known, in a directory that comes again and in no other`() throws {
        let (index, known) = try begin()
        var unknown = status(.file, 3)
        unknown.identity = .unknown
        let first = try #require(known[1]).row
        _ = try index.update(first, unknown)
        try index.detach(Row(1))
        // The slot of another directory, and the same name in it.
        let other = try index.insert("e", below: .root, status(.directory, 9))
        #expect(index.identifier(of: try index.insert("a", below: other, status(.file, 30))) != known[1])
        let again = try index.insert("d", below: .root, status(.directory, 2))
        #expect(index.identifier(of: again) == known[0])
        #expect(index.identifier(of: try index.insert("b", below: again, status(.file, 31))) != known[1])
        #expect(index.identifier(of: try index.insert("a", below: again, status(.file, 32))) == known[1])
        index.endDetached()
        #expect(index.checkInvariants() == nil)
    }

    /// ext4 hands an inode out again at once, and in one tick all are born at the same time.
    @Test func `A file born in the same tick with the same inode is another one`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        func young(_ inode: UInt64, size: Int64, modified: Int64, changed: Int64) -> FileStatus {
            var status = FileStatus.sample(.file, inode: inode, size: size, created: Timestamp(nanoseconds: 1_000))
            status.modified = Timestamp(nanoseconds: modified)
            status.changed = Timestamp(nanoseconds: changed)
            return status
        }
        let later: Int64 = 8_000_000
        for (inode, become, isOutdated, isSame) in [
            (10, young(10, size: 0, modified: 1_000, changed: 1_000), false, false),
            (11, young(11, size: 5, modified: 1_000, changed: later), false, false),
            (12, young(12, size: 0, modified: later, changed: later), false, false),
            (13, young(13, size: 0, modified: 1_000, changed: later), false, true),
            // It was heard to have been written to before it went.
            (14, young(14, size: 5, modified: later, changed: later), true, true),
            (15, young(15, size: 5, modified: 1_000, changed: 1_000), true, false),
        ] as [(UInt64, FileStatus, Bool, Bool)] {
            let first = try index.insert(
                "a", below: .root, young(inode, size: 0, modified: 1_000, changed: 1_000))
            let known = index.identifier(of: first)
            try index.detach(first, isOutdated: isOutdated)
            let second = try index.insert("b", below: .root, become)
            #expect((index.identifier(of: second) == known) == isSame, "inode \(inode)")
            try index.remove(second)
            index.endDetached()
        }
        #expect(index.checkInvariants() == nil)
    }

    /// A look may have shown it where it is now before it was detached.
    @Test func `A file changed after its birth is known again though it has not changed since`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        var status = FileStatus.sample(.directory, inode: 10, created: Timestamp(nanoseconds: 1_000))
        status.changed = Timestamp(nanoseconds: 1_001)
        let first = try index.insert("a", below: .root, status)
        let known = index.identifier(of: first)
        try index.detach(first)
        #expect(index.identifier(of: try index.insert("b", below: .root, status)) == known)
        #expect(index.checkInvariants() == nil)
    }

    /// To move a directory changes nothing in it, so that what has not changed since its birth is known by where it lies there.
    @Test func `Files in a directory that has moved were not changed by that`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        func young(_ kind: FileKind, _ inode: UInt64, changed: Int64 = 1_000) -> FileStatus {
            var status = FileStatus.sample(kind, inode: inode, created: Timestamp(nanoseconds: 1_000))
            status.changed = Timestamp(nanoseconds: changed)
            return status
        }
        let d = try index.insert("d", below: .root, young(.directory, 2))
        let below = try index.insert("below", below: d, young(.directory, 3))
        let known = [d, below, try index.insert("f", below: below, young(.file, 4))].map { index.identifier(of: $0) }
        let other = index.identifier(of: try index.insert("g", below: below, young(.file, 5)))
        try index.detach(d)
        let again = try index.insert("e", below: .root, young(.directory, 2, changed: 2_000))
        let belowAgain = try index.insert("below", below: again, young(.directory, 3))
        let file = try index.insert("f", below: belowAgain, young(.file, 4))
        #expect([again, belowAgain, file].map { index.identifier(of: $0) } == known)
        #expect(index.identifier(of: try index.insert("h", below: belowAgain, young(.file, 5))) != other)
        index.endDetached()
        #expect(index.checkInvariants() == nil)
    }

    @Test func `The last of very many are kept`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let most = DetachedIdentities.mostIdentities
        var known: [ItemIdentifier?] = []
        for number in 0..<most + 10 {
            let row = try index.insert("f", below: .root, status(.file, UInt64(number + 2)))
            known.append(index.identifier(of: row))
            try index.detach(row)
        }
        #expect(index.checkInvariants() == nil)
        for (number, isKept) in [(0, false), (9, false), (10, true), (most + 9, true)] {
            let row = try index.insert("f\(number)", below: .root, status(.file, UInt64(number + 2)))
            #expect((index.identifier(of: row) == known[number]) == isKept, "\(number)")
        }
        index.endDetached()
        #expect(index.checkInvariants() == nil)
    }

    @Test func `All below a directory may come again, but where it is so much that it goes in sweeps`() throws {
        for (files, isKept) in [(3, true), (SubtreeLimits().smallestSweep + 1, false)] {
            let index = MetadataIndex(root: .sample(.directory))
            let d = try index.insert("d", below: .root, status(.directory, 2))
            var known: [ItemIdentifier?] = []
            for number in 0..<files {
                let row = try index.insert("f\(number)", below: d, status(.file, UInt64(number + 3)))
                known.append(index.identifier(of: row))
            }
            try index.detachChildren(of: d)
            #expect(index.count == 1 && index.checkInvariants() == nil)
            let again = try index.insert("again", below: .root, status(.file, 4))
            #expect((index.identifier(of: again) == known[1]) == isKept)
            index.endDetached()
            #expect(index.checkInvariants() == nil)
        }
    }
}

/// Identities from directories that may not be read are kept until all of them may.
@Suite struct InaccessibleIdentitiesTests {
    private func status(_ kind: FileKind, _ inode: UInt64, links: UInt32 = 1, changed: Int64 = 0) -> FileStatus {
        var status = FileStatus.sample(kind, inode: inode, links: links, created: Timestamp(nanoseconds: 1))
        status.changed = Timestamp(nanoseconds: 1 + changed)
        return status
    }

    @Test func `An unchanged file comes back, and one of several names where it lay`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let d = try index.insert("d", below: .root, status(.directory, 2))
        let known = [
            try index.insert("young", below: d, status(.file, 3)),
            try index.insert("linked", below: d, status(.file, 4, links: 2)),
            try index.insert("other", below: d, status(.file, 4, links: 2)),
        ].map { index.identifier(of: $0) }
        let gone = index.identifier(of: try index.insert("gone", below: d, status(.file, 5)))
        let count = index.count
        try index.detachInaccessible(d)
        #expect(index.count == 1 && index.checkInvariants() == nil)
        // A row that is detached for a moment ends by itself.
        let passing = try index.insert("passing", below: .root, status(.file, 9))
        try index.detach(passing)
        index.endDetached()
        #expect(index.checkInvariants() == nil)
        // Several names go by their place alone.
        let elsewhere = try index.insert("linked", below: .root, status(.file, 4, links: 3))
        #expect(!known.contains(index.identifier(of: elsewhere)))
        var rows: [Row] = []
        let names = ["young", "linked", "other"]
        try index.insertChildren(
            of: d, names.flatMap { Array($0.utf8) }, names.map { UInt16($0.utf8.count) },
            [status(.file, 3), status(.file, 4, links: 3), status(.file, 4, links: 3)], recording: true, into: &rows)
        #expect(rows.map { index.identifier(of: $0) } == known)
        #expect(index.count == count && index.checkInvariants() == nil)
        index.endInaccessible()
        let late = try index.insert("gone", below: d, status(.file, 5))
        #expect(index.identifier(of: late) != gone && index.checkInvariants() == nil)
        // Away as a whole, nothing is kept.
        try index.detachInaccessible(d)
        index.detachAll()
        #expect(index.checkInvariants() == nil && index.attachAll() && index.checkInvariants() == nil)
    }

    /// One link more may be made of it before it is closed, and be heard of after that.
    @Test func `A file with several names since comes back where it lay`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let d = try index.insert("d", below: .root, status(.directory, 2))
        let identifiers = [
            try index.insert("linked", below: d, status(.file, 3)),
            try index.insert("moved", below: d, status(.file, 4)),
        ].map { index.identifier(of: $0) }
        try index.detachInaccessible(d)
        let link = try index.insert("link", below: .root, status(.file, 3, links: 2))
        #expect(index.identifier(of: link) != identifiers[0], "it is another entry")
        let again = try index.insert("linked", below: d, status(.file, 3, links: 2))
        #expect(index.identifier(of: again) == identifiers[0])
        let elsewhere = try index.insert("other", below: d, status(.file, 4, links: 2))
        #expect(index.identifier(of: elsewhere) != identifiers[1], "any of its names may have been the one")
        index.endInaccessible()
    }

    /// A file that comes out of an inaccessible directory onto another entry goes on as that, and ends with it.
    @Test(arguments: [true, false]) func `A file that replaced another entry is known as that`(isMoved: Bool) throws {
        let index = MetadataIndex(root: .sample(.directory))
        let d = try index.insert("d", below: .root, status(.directory, 2))
        let known = try ["f", "stays"].enumerated().map {
            index.identifier(of: try index.insert($1, below: d, status(.file, UInt64($0) + 3)))
        }
        let row = try index.insert("e", below: .root, status(.file, 5))
        try index.detachInaccessible(d)
        _ = try index.update(row, status(.file, 3, changed: 1))
        if isMoved { try index.detach(row) } else { try index.remove(row) }
        index.endDetached()
        #expect(index.checkInvariants() == nil)
        let again = try index.insert("e", below: .root, status(.file, 3, changed: 2))
        #expect(!known.contains(index.identifier(of: again)))
        let other = try index.insert("stays", below: d, status(.file, 4))
        #expect(index.identifier(of: other) == known[1] && index.checkInvariants() == nil)
    }

    /// It may be told to be another file, or go with so much else that it goes in sweeps.
    @Test(arguments: [true, false]) func `A file that was another entry meanwhile has ended`(isSwept: Bool) throws {
        let index = MetadataIndex(root: .sample(.directory))
        let d = try index.insert("d", below: .root, status(.directory, 2))
        let known = try ["f", "stays"].enumerated().map {
            index.identifier(of: try index.insert($1, below: d, status(.file, UInt64($0) + 3)))
        }
        let e = try index.insert("e", below: .root, status(.directory, 5))
        for number in 0...SubtreeLimits().smallestSweep {
            _ = try index.insert("f\(number)", below: e, status(.file, UInt64(number + 10)))
        }
        let row = try index.insert("f", below: e, status(.file, 6))
        try index.detachInaccessible(d)
        _ = try index.update(row, status(.file, 3, changed: 1))
        if isSwept {
            try index.remove(e)
        } else {
            index.endInaccessible(status(.file, 3).identity)
            _ = try index.update(row, status(.file, 7))
        }
        #expect(index.checkInvariants() == nil)
        let again = try index.insert("again", below: .root, status(.file, 3, changed: 2))
        #expect(!known.contains(index.identifier(of: again)))
        let other = try index.insert("stays", below: d, status(.file, 4))
        #expect(index.identifier(of: other) == known[1] && index.checkInvariants() == nil)
    }

    /// A save in between knows nothing of what is kept, and the journal brings it back all the same.
    @Test func `Saved while it is closed`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let d = try index.insert("d", below: .root, status(.directory, 2))
        let known = index.identifier(of: try index.insert("f", below: d, status(.file, 3)))
        _ = index.takeChanges()
        try index.detachInaccessible(d)
        _ = index.takeChanges()
        let saved = index.saved()
        let again = try index.insert("f", below: d, status(.file, 3))
        #expect(index.identifier(of: again) == known)
        var writer = JournalEncoder(Saved.header)
        writer.add(index.takeChanges(), of: index, sequence: Saved.header.startSequence + 1)
        let restored = try Saved.index(saved, journal: [Saved.header.bytes + writer.bytes])
        #expect(restored.identifier(of: again) == known && restored.checkInvariants() == nil)
        #expect(restored.clock == index.clock)
    }

    /// A snapshot saved while the items were detached has them back by the journal, and no subscriber is told of that again.
    @Test func `Saved while it is detached`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let row = try index.insert("f", below: .root, status(.file, 3))
        let known = index.identifier(of: row)
        _ = index.takeChanges()
        index.detachAll()
        _ = index.takeChanges()
        let saved = index.saved()
        #expect(index.attachAll())
        var writer = JournalEncoder(Saved.header)
        writer.add(index.takeChanges(), of: index, sequence: Saved.header.startSequence + 1)
        let restored = try Saved.index(saved, journal: [Saved.header.bytes + writer.bytes])
        #expect(!restored.isDetached && restored.count == 1 && !restored.hasChanges)
        #expect(restored.identifier(of: row) == known && restored.checkInvariants() == nil)
        #expect(restored.clock == index.clock)
    }

    /// As many as are kept come back, and of more none is lost to the index.
    @Test func `A large directory`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let d = try index.insert("d", below: .root, status(.directory, 2))
        for (count, isKept) in [(5_000, true), (DetachedIdentities.mostIdentities + 5, false)] {
            var rows: [Row] = []
            let names = (0..<count).map { Array("f\($0)".utf8) }
            let statuses = (0..<count).map { status(.file, UInt64($0 + 10)) }
            func insert() throws {
                rows = []
                try index.insertChildren(
                    of: d, names.flatMap { $0 }, names.map { UInt16($0.count) }, statuses, recording: true, into: &rows)
            }
            try insert()
            let known = rows.map { index.identifier(of: $0) }
            try index.detachInaccessible(d)
            #expect(index.checkInvariants() == nil)
            try insert()
            #expect((rows.map { index.identifier(of: $0) } == known) == isKept)
            index.endInaccessible()
            #expect(index.checkInvariants() == nil)
            try index.removeChildren(of: d)
        }
    }
}
