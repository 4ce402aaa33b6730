// The index, call by call.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct MetadataIndexTests {
    let index = MetadataIndex(root: .sample(.directory, inode: 2))

    @Test func entriesAreFoundAndHavePaths() throws {
        let a = try index.insert("a", below: .root, .sample(.directory))
        let b = try index.insert("b", below: a, .sample(.file, inode: 2))
        #expect(index.count == 2)
        #expect(index.directoryCount == 1)
        #expect(index.path(of: b) == "a/b")
        #expect(index.path(of: .root) == "")
        #expect(index.child("b", of: a) == b)
        #expect(index.child("b", of: .root) == nil)
        #expect(index.child("", of: .root) == nil)
        #expect(index.children(of: a) == [b])
        #expect(index.firstChild(of: a) == b && index.nextSibling(of: b) == nil)
        #expect(index.isWithin(b, a) && index.isWithin(b, .root) && index.isWithin(b, b) && !index.isWithin(a, b))
        #expect(index.parent(of: .root) == .root && index.depth(of: .root) == 0)
    }

    @Test func refusedOperationsChangeNothing() throws {
        let directory = try index.insert("d", below: .root, .sample(.directory))
        let inner = try index.insert("e", below: directory, .sample(.directory))
        let file = try index.insert("f", below: .root, .sample(.file))
        let gone = try index.insert("g", below: .root, .sample(.file))
        try index.remove(gone)
        let beyond = Row(1 << 30)
        _ = index.takeChanges()
        for name in ["", ".", "..", "a/b", "a\0", String(repeating: "x", count: 4_094)] {
            #expect(throws: IndexError.invalidName) { try index.insert(name, below: .root, .sample(.file)) }
            #expect(throws: IndexError.invalidName) { try index.move(file, to: .root, name) }
        }
        #expect(throws: IndexError.nameTaken(file)) { try index.insert("f", below: .root, .sample(.file)) }
        #expect(throws: IndexError.nameTaken(file)) { try index.move(directory, to: .root, "f") }
        #expect(throws: IndexError.notADirectory(file)) { try index.insert("x", below: file, .sample(.file)) }
        #expect(throws: IndexError.notADirectory(file)) { try index.move(inner, to: file, "x") }
        #expect(throws: IndexError.wouldContainItself(directory)) { try index.move(directory, to: inner, "x") }
        #expect(throws: IndexError.wouldContainItself(directory)) { try index.move(directory, to: directory, "x") }
        #expect(throws: IndexError.wouldContainItself(directory)) { try index.replace(inner, with: directory) }
        #expect(throws: IndexError.wouldContainItself(directory)) { try index.exchange(inner, directory) }
        #expect(throws: IndexError.wouldContainItself(directory)) { try index.exchange(directory, inner) }
        for row in [gone, beyond] {
            #expect(throws: IndexError.noSuchRow(row)) { try index.insert("x", below: row, .sample(.file)) }
            #expect(throws: IndexError.noSuchRow(row)) { try index.update(row, .sample(.file)) }
            #expect(throws: IndexError.noSuchRow(row)) { try index.setXattrs(row, ExtraAttributes.none) }
            #expect(throws: IndexError.noSuchRow(row)) { try index.move(row, to: .root, "x") }
            #expect(throws: IndexError.noSuchRow(row)) { try index.move(file, to: row, "x") }
            #expect(throws: IndexError.noSuchRow(row)) { try index.replace(file, with: row) }
            #expect(throws: IndexError.noSuchRow(row)) { try index.exchange(row, file) }
            #expect(throws: IndexError.noSuchRow(row)) { try index.remove(row) }
            #expect(throws: IndexError.noSuchRow(row)) { try index.removeChildren(of: row) }
            #expect(!index.isLive(row) && index.identifier(of: row) == nil)
        }
        #expect(throws: IndexError.isRoot) { try index.remove(.root) }
        #expect(throws: IndexError.isRoot) { try index.move(.root, to: directory, "x") }
        #expect(throws: IndexError.isRoot) { try index.replace(.root, with: file) }
        #expect(throws: IndexError.isRoot) { try index.exchange(.root, file) }
        #expect(throws: IndexError.isRoot) { try index.setXattrs(.root, ExtraAttributes.none) }
        #expect(throws: IndexError.isRoot) { try index.update(.root, .sample(.file)) }
        var rows: [Row] = []
        let one = [FileStatus.sample(.file)]
        #expect(throws: IndexError.malformedBatch) {
            try index.insertChildren(of: .root, [97, 98], [1], one, recording: true, into: &rows)
        }
        #expect(throws: IndexError.malformedBatch) {
            try index.insertChildren(of: .root, [97], [1], one + one, recording: true, into: &rows)
        }
        #expect(throws: IndexError.invalidName) {
            try index.insertChildren(of: .root, [97, 47], [1, 1], one + one, recording: true, into: &rows)
        }
        #expect(rows.isEmpty && !index.hasChanges && index.takeChanges().isEmpty)
        #expect(index.count == 3 && index.checkInvariants() == nil)
    }

    /// How programs save: written beside, then renamed over. The target's identity stays, with the new contents.
    @Test func renameOverKeepsTheTarget() throws {
        let old = try index.insert("letter", below: .root, .sample(.file, inode: 5, size: 1))
        try index.setXattrs(old, ExtraAttributes(tags: "red"))
        let new = try index.insert("letter.tmp", below: .root, .sample(.file, inode: 6, size: 2))
        try index.setXattrs(new, ExtraAttributes(tags: "blue"))
        let (kept, ended) = (index.identifier(of: old), try #require(index.identifier(of: new)))
        _ = index.takeChanges()
        try index.replace(old, with: new)
        #expect(index.identifier(of: old) == kept)
        #expect(index.row(of: ended) == nil)
        #expect(index.path(of: old) == "letter")
        #expect(index.status(of: old).inode == 6 && index.status(of: old).size == 2)
        #expect(index.xattrs(of: old) == ExtraAttributes(tags: "blue"))
        #expect(index.child("letter.tmp", of: .root) == nil)
        let set = index.takeChanges()
        #expect(set.count == 2)
        #expect(set.preImage(at: 0)?.xattrs == ExtraAttributes(tags: "red"))
        #expect(set.preImage(at: 0)?.status.inode == 5)
    }

    @Test func aDirectoryOverAnEmptyOneBringsItsChildren() throws {
        let target = try index.insert("t", below: .root, .sample(.directory, inode: 10))
        let source = try index.insert("s", below: target, .sample(.directory, inode: 11))
        let child = try index.insert("c", below: source, .sample(.directory, inode: 12))
        let deep = try index.insert("d", below: child, .sample(.file))
        let stale = try index.insert("left", below: target, .sample(.file))
        try index.replace(target, with: source)
        #expect(index.path(of: deep) == "t/c/d")
        #expect(index.children(of: target) == [child])
        #expect(!index.isLive(stale) && !index.isLive(source))
        #expect(index.rows(inode: 11, device: 7) == [target])
        #expect(index.rows(inode: 10, device: 7) == [])
        #expect(index.checkInvariants() == nil)
    }

    @Test func exchangedRowsKeepTheirFiles() throws {
        let a = try index.insert("a", below: .root, .sample(.directory, inode: 10))
        let inA = try index.insert("x", below: a, .sample(.file))
        let other = try index.insert("o", below: .root, .sample(.directory, inode: 11))
        let b = try index.insert("b", below: other, .sample(.file, inode: 12))
        let ids = (index.identifier(of: a), index.identifier(of: b))
        try index.exchange(a, b)
        #expect(index.path(of: a) == "o/b" && index.path(of: b) == "a" && index.path(of: inA) == "o/b/x")
        #expect(index.identifier(of: a) == ids.0! && index.identifier(of: b) == ids.1!)
        #expect(index.status(of: b).inode == 12)
    }

    @Test func anEntryThatCeasesToBeADirectoryLosesItsDescendants() throws {
        let a = try index.insert("a", below: .root, .sample(.directory))
        let b = try index.insert("b", below: a, .sample(.file))
        #expect(try index.update(a, .sample(.package)))
        #expect(index.isLive(b))
        #expect(try index.update(a, .sample(.symlink)))
        #expect(!index.isLive(b) && index.directoryCount == 0)
        #expect(try !index.update(a, .sample(.symlink)))
    }

    /// Neither walks nor removal use the stack for depth.
    @Test func depthIsNoLimit() throws {
        var parent = Row.root
        var first: Row?
        for _ in 0..<20_000 {
            parent = try index.insert("d", below: parent, .sample(.directory, inode: 3))
            first = first ?? parent
        }
        #expect(index.depth(of: parent) == 20_000)
        #expect(index.path(of: parent).utf8.count == 39_999)
        _ = index.takeChanges()
        try index.remove(#require(first))
        #expect(index.count == 0)
        let set = index.takeChanges()
        #expect(set.count == 20_000)
        let past = set.preImageView(in: index.snapshot())
        #expect(past.path(of: parent).utf8.count == 39_999)
        #expect(index.checkInvariants() == nil)
    }

    @Test func linksAreFoundAsTheirCountsChange() throws {
        let a = try index.insert("a", below: .root, .sample(.file, inode: 9))
        #expect(index.rows(inode: 9, device: 7) == [])
        try index.update(a, .sample(.file, inode: 9, links: 3))
        let b = try index.insert("b", below: .root, .sample(.file, inode: 9, links: 3))
        let c = try index.insert("c", below: .root, .sample(.file, inode: 9, links: 3))
        _ = try index.insert("other", below: .root, .sample(.file, inode: 9, links: 3, device: 8))
        #expect(Set(index.rows(inode: 9, device: 7)) == [a, b, c])
        try index.remove(a)
        #expect(Set(index.rows(inode: 9, device: 7)) == [b, c])
        try index.update(b, .sample(.file, inode: 10, links: 2))
        #expect(index.rows(inode: 9, device: 7) == [c])
        #expect(index.rows(inode: 10, device: 7) == [b])
        try index.update(c, .sample(.file, inode: 9, links: 1))
        #expect(index.rows(inode: 9, device: 7) == [])
        #expect(index.rows(inode: 2, device: 7) == [.root])
    }

    @Test func descendantsOfAPackageAreMarked() throws {
        let package = try index.insert("p.gro", below: .root, .sample(.package))
        let inner = try index.insert("d", below: package, .sample(.directory))
        let file = try index.insert("f", below: inner, .sample(.file, size: 7))
        #expect(!index.isInsidePackage(package) && index.isInsidePackage(inner) && index.isInsidePackage(file))
        _ = index.takeChanges()
        try index.move(inner, to: .root, "out")
        #expect(!index.isInsidePackage(inner) && !index.isInsidePackage(file))
        // The package is one file smaller.
        #expect(index.takeChanges().count == 2)
        try index.move(inner, to: .root, "renamed")
        #expect(index.takeChanges().count == 1)
        try index.update(inner, .sample(.package))
        #expect(!index.isInsidePackage(inner) && index.isInsidePackage(file))
    }

    /// Inside a package all directories are plain, however deep. A directory that comes out of it is a package again, and so is one
    /// inside a package that ceases to be a package.
    @Test(arguments: [3, 600]) func aDirectoryInAPackageIsAPlainOne(fileCount: Int) throws {
        let outer = try index.insert("o.gro", below: .root, .sample(.package))
        let plain = try index.insert("d", below: .root, .sample(.directory))
        let inner = try index.insert("i.gro", below: plain, .sample(.package))
        let innermost = try index.insert("j.gro", below: inner, .sample(.package))
        _ = try index.insertFiles((0..<fileCount).map { "f\($0)" }, below: innermost)
        _ = try index.insert("large", below: innermost, .sample(.file, size: 7))
        _ = index.takeChanges()
        #expect(index.kind(of: inner) == .package && index.kind(of: innermost) == .directory)
        let size = index.status(of: inner).size
        // To and fro is no change.
        for _ in 0..<5 {
            try index.move(plain, to: outer, "d")
            try index.move(plain, to: .root, "d")
        }
        #expect(index.takeChanges().isEmpty)
        try index.move(plain, to: outer, "d")
        #expect(index.takeChanges().count == 3)
        #expect(index.kind(of: inner) == .directory && index.kind(of: innermost) == .directory)
        #expect(
            index.status(of: outer).size == size && index.status(of: inner).size == FileStatus.sample(.package).size)
        try index.update(outer, .sample(.directory))
        #expect(index.takeChanges().count == 2)
        #expect(index.kind(of: inner) == .package && index.status(of: inner).size == size)
        #expect(index.kind(of: innermost) == .directory)
        try index.move(innermost, to: .root, "j.gro")
        _ = index.takeChanges()
        #expect(index.kind(of: innermost) == .package && index.status(of: innermost).size == size)
        #expect(index.status(of: inner).size == 0)
        #expect(index.checkInvariants() == nil)
    }

    /// A write at the bottom of thousands of packages, each inside the one before, changes one.
    @Test func nestedPackagesAreOne() throws {
        var directory = Row.root
        var first: Row?
        for _ in 0..<10_000 {
            directory = try index.insert("a.gro", below: directory, .sample(.package, inode: 3))
            first = first ?? directory
        }
        let file = try index.insert("f", below: directory, .sample(.file, size: 1))
        _ = index.takeChanges()
        try index.update(file, .sample(.file, size: 2))
        #expect(index.takeChanges().count == 2)
        #expect(try index.status(of: #require(first)).size == 2)
        #expect(index.storage.packages.states.count == 1)
    }

    /// A move of a directory changes one row, whatever lies below.
    @Test func aMoveChangesOneRow() throws {
        let a = try index.insert("a", below: .root, .sample(.directory))
        let b = try index.insert("b", below: .root, .sample(.directory))
        let files = try index.insertFiles((0..<500).map { "f\($0)" }, below: a)
        _ = index.takeChanges()
        try index.move(a, to: b, "c")
        let set = index.takeChanges()
        #expect(set.count == 1)
        #expect(index.path(of: files[7]) == "b/c/f7")
        #expect(set.preImageView(in: index.snapshot()).path(of: files[7]) == "a/f7")
    }

    @Test func aSlotWithoutGenerationsIsRetired() throws {
        let row = try index.insert("a", below: .root, .sample(.file))
        index.storage.rows.writable(row.number).generation[RowStore.slot(row.number)] = .max - 1
        try index.remove(row)
        #expect(try index.insert("b", below: .root, .sample(.file)) == row)
        #expect(index.identifier(of: row)?.generation == .max)
        try index.remove(row)
        #expect(try index.insert("c", below: .root, .sample(.file)) != row)
        #expect(index.checkInvariants() == nil)
    }

    /// The bytes lent may be given back to the index, which may let their arena go meanwhile.
    @Test func aNameMayBeUsedToChangeTheIndex() throws {
        let other = try index.insert("d", below: .root, .sample(.directory))
        var last = try index.insert(String(repeating: "n", count: 200), below: .root, .sample(.file))
        for number in 0..<200 {
            let directory = try index.insert("d\(number)", below: .root, .sample(.directory))
            let snapshot = number % 3 == 0 ? index.snapshot() : nil
            last = try index.withName(of: last) {
                try index.insert(parent: directory, name: $0, status: .sample(.file))
            }
            try index.withName(of: last) { try index.move(last, to: other, name: $0) }
            try index.withName(of: last) { try index.move(last, to: directory, name: $0) }
            withExtendedLifetime(snapshot) {}
        }
        #expect(index.withName(of: last) { $0.count == 200 && $0.allSatisfy { $0 == 110 } })
        #expect(index.checkInvariants() == nil)
    }

    /// Renames leave garbage in the arena, which is collected.
    @Test func namesDoNotPileUp() throws {
        let row = try index.insert("a", below: .root, .sample(.file))
        let before = index.byteCount
        for number in 0..<20_000 { try index.move(row, to: .root, "some-longer-name-\(number % 7)") }
        #expect(index.byteCount - before < 4_096)
        #expect(index.checkInvariants() == nil)
    }

    @Test func recordsGoWithTheirLastRow() throws {
        let row = try index.insert("a", below: .root, .sample(.file))
        for number in 0..<500 { try index.setXattrs(row, ExtraAttributes(tags: "tag-\(number)")) }
        #expect(index.xattrs(of: row) == ExtraAttributes(tags: "tag-499"))
        #expect(index.storage.rows.xattrList.count <= 4)
        try index.setXattrs(row, nil)
        #expect(index.xattrs(of: row) == nil)
        #expect(index.checkInvariants() == nil)
    }

    @Test func aWriteCopiesTheSharedBlockAlone() throws {
        let rows = try index.insertFiles((0..<10_000).map { "f\($0)" }, below: .root)
        let arena = index.storage.rows.blocks[1].block.header.pointee.names
        var snapshot: IndexSnapshot? = index.snapshot()
        let before = index.storage.rows.blocks.map { ObjectIdentifier($0) }
        try index.update(rows[5_000], .sample(.file, size: 9))
        let after = index.storage.rows.blocks.map { ObjectIdentifier($0) }
        #expect(zip(before, after).map { $0 == $1 } == [true, false, true])
        #expect(index.storage.rows.blocks[1].block.header.pointee.names == arena)
        #expect(snapshot?.status(of: rows[5_000]).size == 0)
        snapshot = nil
        try index.update(rows[5_000], .sample(.file, size: 10))
        try index.update(rows[1], .sample(.file, size: 10))
        #expect(index.storage.rows.blocks.map { ObjectIdentifier($0) } == after)
    }

    /// The budget of memory, counted: 110 bytes an entry with names of 22 bytes.
    @Test func entriesAreSmall() throws {
        var directories: [Row] = []
        for number in 0..<100 {
            directories += try index.insertFiles(["directory-number-\(1_000 + number)-x"], below: .root)
            try index.update(directories[number], .sample(.directory, inode: UInt64(100 + number)))
        }
        for (number, directory) in directories.enumerated() {
            _ = try index.insertFiles(
                (0..<985).map { "some-file-\(10_000 + $0)-\(100 + number).txt" }, below: directory)
        }
        _ = index.takeChanges()
        #expect(index.byteCount <= index.count * 110, "\(Double(index.byteCount) / Double(index.count))")
        #expect(index.checkInvariants() == nil)
    }
}
