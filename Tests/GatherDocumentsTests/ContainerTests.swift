// Listing containers, and moving files into them and out of them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import SaveFiles
import Testing

@testable import GatherDocuments

/// A container that no daemon watches.
struct PlainContainer: FileContainer {
    let identifier: ContainerIdentifier = "box"
    let data: FilePath
}

struct ContainerTests {
    private let disk: Scratch
    private let memory: ScratchDirectory
    private let box: PlainContainer

    init() throws {
        disk = try Scratch()
        memory = try ScratchDirectory()
        box = PlainContainer(data: FilePath(memory.path))
    }

    /// The two directories of a test lie on two file systems.
    private static let hasTwoFileSystems: Bool = {
        var (one, other) = (stat(), stat())
        return stat(NSTemporaryDirectory(), &one) == 0 && stat("/dev/shm", &other) == 0 && one.st_dev != other.st_dev
    }()

    private func code(_ body: () throws -> Void) -> DocumentError.Code? {
        do { try body() } catch { return (error as? DocumentError)?.code }
        return nil
    }

    // MARK: Listing

    /// An archive is one by its path in the container.
    @Test(arguments: [".gather/grocery", ".stversions/box/.gather"])
    func aContainerBelowADirectoryWithTheNameOfAnArchiveHasVersions(_ place: String) throws {
        let box = PlainContainer(data: FilePath(memory.path + "/" + place))
        try FileManager.default.createDirectory(atPath: box.data.string, withIntermediateDirectories: true)
        let version = "b.sync-conflict-20261125-140509-ABCDEFG.txt"
        for folder in [try box.folder(["Documents"]).string, try box.folder([".gather", "trash"]).string] {
            for name in ["b.txt", version] { try Data(name.utf8).write(to: URL(filePath: folder + "/" + name)) }
            let count = folder.hasSuffix("/.gather/trash") ? 0 : 1
            #expect(try FileVersion.conflicts(of: FilePath(folder + "/b.txt")).count == count)
        }
        #expect(try box.entries().map { $0.conflict != nil } == [true, false])
    }

    @Test func scopesAreListed() throws {
        #expect(try box.entries() == [])
        let documents = try box.folder(["Documents"]).string
        try Data("1".utf8).write(to: URL(filePath: documents + "/b.txt"))
        try Data("22".utf8).write(to: URL(filePath: documents + "/b.sync-conflict-20261125-140509-ABCDEFG.txt"))
        try Data().write(to: URL(filePath: documents + "/.syncthing.gather-b.txt.tmp"))
        _ = try box.folder(["Documents", "Party"])
        _ = try box.folder(["caches"])
        _ = try box.folder([".gather"])
        symlink("nowhere", documents + "/link")
        let entries = try box.entries()
        #expect(entries.map(\.name) == ["Party", "b.sync-conflict-20261125-140509-ABCDEFG.txt", "b.txt", "link"])
        #expect(entries.map(\.kind) == [.folder, .file, .file, .symbolicLink])
        #expect(
            entries.map { $0.conflict.map { String(decoding: $0.original, as: UTF8.self) } } == [
                nil, "b.txt", nil, nil,
            ])
        #expect(entries[1...2].map(\.size) == [2, 1])
        #expect(try box.entries(of: .data).map(\.name) == ["caches"])
        #expect(try box.entries(in: ["Party"]) == [])
        #expect(try box.entries(in: ["Missing"]) == [])
        #expect(code { _ = try box.entries(in: [".."]) } == .invalidName)
        #expect(code { _ = try PlainContainer(data: FilePath(memory.path + "/gone")).entries() } == .notFound)
    }

    // MARK: Case

    @Test(arguments: [
        ("Party", "party"), ("Äpfel", "äpfel"), ("caf\u{E9}", "cafe\u{301}"), ("a", "A"), ("ΑΒΓ", "αβγ"),
    ])
    func namesThatDifferByCaseAreRefused(one: String, other: String) async throws {
        let documents = try box.folder(["Documents"]).string
        #expect(try box.folder(["Documents", one]).string == documents + "/" + one)
        #expect(code { _ = try box.folder(["Documents", other]) } == .nameDiffersInCase)
        #expect(try box.folder(["Documents", one]).string == documents + "/" + one)
        // A document and a package, too.
        let options = DocumentOptions(followsChanges: false)
        let document = Document<Text>(path: FilePath(documents + "/" + other), options: options)
        await #expect { try await document.create(Text("")) } throws: {
            ($0 as? DocumentError)?.code == .nameDiffersInCase
        }
        var package = Package()
        #expect(
            code { _ = try package.save(to: FilePath(documents + "/" + other), mustBeNew: true, options: options) }
                == .nameDiffersInCase)
        // And a file that is moved in. It may change the case of its own name.
        try disk.write("moved", to: other)
        #expect(code { _ = try box.moveIn(FilePath(disk.path + "/" + other)) } == .nameDiffersInCase)
        #expect(try disk.read(other) == "moved")
        let renamed = FilePath(documents + "/" + other)
        #expect(try box.moveIn(FilePath(documents + "/" + one), as: renamed.lastComponent) == renamed)
        #expect(try box.entries().map(\.name) == [other])
    }

    @Test func namesThatAreNotTextAreNotCompared() throws {
        for bytes in [[0xFF, 0x41], [0xFF, 0x61], [0xFE, 0x41]] as [[UInt8]] {
            try disk.write("x", to: "x")
            let name = FilePath.Component(bytes: bytes)
            #expect(try box.moveIn(FilePath(disk.path + "/x"), as: name).lastComponent == name)
        }
        #expect(try box.entries().count == 3)
    }

    // MARK: Moving

    /// Makes a tree, and returns a description of it: each path with its kind, mode, time and contents.
    private func makeTree(_ path: String) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: path + "/inner/deep", withIntermediateDirectories: true)
        try Data("one".utf8).write(to: URL(filePath: path + "/one"))
        try Data(repeating: 7, count: 3_000_000).write(to: URL(filePath: path + "/inner/large"))
        try Data().write(to: URL(filePath: path + "/inner/deep/empty"))
        symlink("../one", path + "/inner/link")
        #expect(link(path + "/one", path + "/second name of one") == 0)
        chmod(path + "/one", 0o640)
        chmod(path + "/inner/deep/empty", 0o400)
        chmod(path + "/inner/deep", 0o555)
        chmod(path + "/inner", 0o750)
        for (number, name) in ["one", "inner/large", "inner/deep/empty", "inner/deep", "inner", ""].enumerated() {
            var times = [
                timeval(tv_sec: 1_000_000 + number, tv_usec: 5), timeval(tv_sec: 2_000_000 + number, tv_usec: 7),
            ]
            #expect(utimes(path + "/" + name, &times) == 0)
        }
        Attributes.set("user.xdg.tags", "a,b", path + "/one")
        Attributes.set("user.gather.device", "ABCDEFG", path + "/one")
        Attributes.set("user.note", "folder", path + "/inner")
    }

    private func description(_ path: String) throws -> [String] {
        try ([""] + FileManager.default.subpathsOfDirectory(atPath: path)).sorted().map { name in
            var status = stat()
            let entry = name.isEmpty ? path : path + "/" + name
            #expect(lstat(entry, &status) == 0)
            let kind = status.st_mode & S_IFMT
            let contents =
                kind == S_IFLNK
                ? try FileManager.default.destinationOfSymbolicLink(atPath: entry)
                : kind == S_IFREG ? "\(try Data(contentsOf: URL(filePath: entry)).hashValue)" : ""
            let time = kind == S_IFLNK ? "" : "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
            let attributes = ["user.xdg.tags", "user.gather.device", "user.note"].map {
                kind == S_IFLNK ? "" : Attributes.get($0, entry) ?? ""
            }
            return "\(name) \(String(status.st_mode, radix: 8)) \(time) \(attributes) \(contents)"
        }
    }

    @Test(.enabled(if: hasTwoFileSystems))
    func aTreeMovesToAnotherFileSystemAndBack() throws {
        let source = disk.path + "/tree"
        try makeTree(source)
        let before = try description(source)
        let moved = try box.moveIn(FilePath(source))
        #expect(moved.string == memory.path + "/Documents/tree")
        #expect(try description(moved.string) == before)
        #expect(try disk.names == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: memory.path + "/Documents") == ["tree"])
        try box.moveOut(moved, to: FilePath(disk.path + "/back"))
        #expect(try description(disk.path + "/back") == before)
        #expect(try box.entries() == [])
        #expect(try disk.names == ["back"])
    }

    @Test func aFileMovesOnOneFileSystemAsItself() throws {
        try memory.write(Array("x".utf8), to: "a.txt")
        let before = try status(memory.path + "/a.txt")
        let moved = try box.moveIn(FilePath(memory.path + "/a.txt"), to: ["Documents", "Party"], as: "b.txt")
        #expect(moved.string == memory.path + "/Documents/Party/b.txt")
        #expect(try status(moved.string).st_ino == before.st_ino)
        try box.moveOut(moved, to: FilePath(memory.path + "/c.txt"))
        #expect(try status(memory.path + "/c.txt").st_ino == before.st_ino)
    }

    private func status(_ path: String) throws -> stat { try Scratch.status(of: path) }

    @Test(arguments: [false, true])
    func anEntryThatCannotMoveStaysAsItIs(onOtherFileSystem other: Bool) throws {
        let source = other ? disk.path : memory.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
        func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
        try Data("mine".utf8).write(to: URL(filePath: source + "/a.txt"))
        let documents = try box.folder(["Documents"]).string
        try Data("theirs".utf8).write(to: URL(filePath: documents + "/a.txt"))
        #expect(code { _ = try box.moveIn(FilePath(source + "/a.txt")) } == .exists)
        #expect(text(source + "/a.txt") == "mine")
        #expect(text(documents + "/a.txt") == "theirs")
        #expect(code { _ = try box.moveIn(FilePath(source + "/missing")) } == .notFound)
        #expect(code { _ = try box.moveIn(FilePath(source + "/a.txt"), to: [".."]) } == .invalidName)
        // A link in a shared container could lead anywhere.
        symlink(source, documents + "/link")
        #expect(code { _ = try box.moveIn(FilePath(source + "/a.txt"), to: ["Documents", "link"]) } != nil)
        #expect(code { _ = try box.folder(["Documents", "link", "x"]) } != nil)
        #expect(code { _ = try box.entries(in: ["link"]) } != nil)
        unlink(documents + "/link")
        #expect(text(source + "/a.txt") == "mine")
        for name in [".syncthing.x", "a.sync-conflict-20261125-140509-ABCDEFG.txt"] as [FilePath.Component] {
            #expect(code { _ = try box.moveIn(FilePath(source + "/a.txt"), as: name) } == .invalidName)
        }
        func moveOut(_ path: String, to target: String) -> DocumentError.Code? {
            code { try box.moveOut(FilePath(path), to: FilePath(target)) }
        }
        #expect(moveOut(source + "/a.txt", to: documents + "/b") == (other ? .invalidName : nil))
        #expect(moveOut(memory.path + "/.gather/x", to: source + "/x") == .invalidName)
        #expect(moveOut(documents + "/a.txt", to: source + "/no/folder") == .notFound)
        // A tree with a socket moves by a rename only.
        try FileManager.default.createDirectory(atPath: source + "/tree/in", withIntermediateDirectories: true)
        mkfifo(source + "/tree/in/fifo", 0o600)
        try Data("kept".utf8).write(to: URL(filePath: source + "/tree/file"))
        let tree = FilePath(source + "/tree")
        if other {
            #expect(code { _ = try box.moveIn(tree) } == .specialFile)
            #expect(text(source + "/tree/file") == "kept")
            #expect(try box.entries().map(\.name) == ["a.txt"])
        } else {
            #expect(code { _ = try box.moveIn(tree, to: ["elsewhere", "tree", "in"]) } == .invalidName)
            #expect(text(source + "/tree/file") == "kept")
        }
        #expect(!(try FileManager.default.contentsOfDirectory(atPath: documents)).contains { $0.hasPrefix(".") })
    }

    @Test func aFileWithConflictVersionsStays() throws {
        let documents = try box.folder(["Documents"]).string
        try Data("1".utf8).write(to: URL(filePath: documents + "/a.txt"))
        try FileVersion.add(Array("2".utf8), to: FilePath(documents + "/a.txt"))
        let (file, target) = (FilePath(documents + "/a.txt"), FilePath(disk.path + "/a.txt"))
        #expect(code { try box.moveOut(file, to: target) } == .inConflict)
        #expect(code { _ = try box.moveIn(file, to: ["Documents", "Party"]) } == .inConflict)
        try #require(try FileVersion.conflicts(of: file).first).remove()
        try box.moveOut(file, to: target)
        #expect(try disk.read("a.txt") == "1")
    }

    @Test(.enabled(if: hasTwoFileSystems))
    func theRestOfAKilledMoveIsRemoved() throws {
        let documents = try box.folder(["Documents"]).string
        let left =
            documents + "/" + String(decoding: Relocation.temporaryName(of: Array("a.txt".utf8)), as: UTF8.self)
        try FileManager.default.createDirectory(atPath: left + "/a.txt/deep", withIntermediateDirectories: true)
        try disk.write("whole", to: "a.txt")
        // Another user could put a file in place of the copy.
        chmod(left, 0o777)
        #expect(code { _ = try box.moveIn(FilePath(disk.path + "/a.txt")) } == .permissionDenied)
        chmod(left, 0o700)
        // A move that runs holds the lock of its folder.
        let other = open(left, O_RDONLY | O_CLOEXEC)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(code { _ = try box.moveIn(FilePath(disk.path + "/a.txt")) } == .locked)
        close(other)
        let moved = try box.moveIn(FilePath(disk.path + "/a.txt"))
        #expect(try String(contentsOfFile: moved.string, encoding: .utf8) == "whole")
        #expect(try FileManager.default.contentsOfDirectory(atPath: documents) == ["a.txt"])
    }

    @Test func anEntryThatChangesWhileItIsCopiedIsNotRemoved() throws {
        try FileManager.default.createDirectory(atPath: disk.path + "/tree", withIntermediateDirectories: false)
        for name in ["a", "b", "c"] { try disk.write(name, to: "tree/" + name) }
        let source = try Folder(Array(disk.path.utf8))
        func copy() throws -> TreeCopy {
            let target = try Folder(Array(memory.path.utf8))
            try target.removeTree(Array("tree".utf8))
            let source = try Folder(Array(disk.path.utf8))
            return try TreeCopy(copying: Array("tree".utf8), in: source, to: target, beside: .none)
        }
        var copied = try copy()
        #expect(try copied.isCurrent(in: source))
        try disk.write("B", to: "tree/b")
        #expect(try !copied.isCurrent(in: source))
        copied = try copy()
        try disk.write("new", to: "tree/d")
        #expect(try !copied.isCurrent(in: source))
        // Those that are as they were copied go, the others stay.
        copied = try copy()
        try disk.write("C", to: "tree/c")
        try disk.write("E", to: "tree/e")
        #expect(try !copied.remove(from: source))
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path + "/tree").sorted() == ["c", "e"])
        #expect(try disk.read("tree/c") == "C")
        #expect(try memory.read("tree/c") == Array("c".utf8))
        copied = try copy()
        #expect(try copied.remove(from: source))
        #expect(try disk.names == [])
    }
}
