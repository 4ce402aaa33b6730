// The folder that stands in for a container, and moving its files there.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import GatherDocuments

struct LocalContainerTests {
    /// A tree as a test makes it: the contents of files by their paths. Folders are those that files need.
    private typealias Tree = [String: String]

    private static let folders = ["Documents", "Documents/a", "Documents/a.gro/items", "caches", ".gather/trash/t"]
    private static let names = ["x", "y.txt", "z.tar.gz", ".hidden", "y.sync-conflict-20261125-140509-ABCDEFG.txt"]

    private static func tree(_ random: inout SeededGenerator) -> Tree {
        var tree: Tree = [:]
        for folder in folders {
            for name in names where Int.random(in: 0..<3, using: &random) == 0 {
                tree[folder + "/" + name] = "contents \(Int.random(in: 0..<3, using: &random))"
            }
        }
        return tree
    }

    private static func write(_ tree: Tree, below path: String) throws {
        for (name, text) in tree {
            let file = URL(filePath: path + "/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    private static func read(_ path: String) throws -> Tree {
        var tree: Tree = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            guard let data = FileManager.default.contents(atPath: path + "/" + name) else { continue }
            tree[name] = String(decoding: data, as: UTF8.self)
        }
        return tree
    }

    /// The path of the file that a path is a conflict version of, by the form of the name alone.
    private static func original(_ path: String) -> String? {
        let version = #/\.sync-conflict-\d{8}-\d{6}-[A-Z2-7]{7}/#
        return path.contains(version) ? path.replacing(version, with: "") : nil
    }

    @Test(arguments: [false, true])
    func nothingIsLostWhereBothSidesHaveFiles(onOtherFileSystem other: Bool) async throws {
        for seed in 0..<60 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let (disk, memory) = (try Scratch(), try ScratchDirectory())
            let box = PlainContainer(data: FilePath(memory.path + "/box"))
            try FileManager.default.createDirectory(atPath: box.data.string, withIntermediateDirectories: false)
            let local = try LocalContainer(identifier: "box", in: FilePath(other ? disk.path : memory.path + "/local"))
            let (mine, theirs) = (Self.tree(&random), Self.tree(&random))
            try Self.write(mine, below: local.data.string)
            try Self.write(theirs, below: box.data.string)
            let merge = try await local.move(into: box)
            #expect(merge.left == [], "seed \(seed)")
            #expect(try Self.read(local.data.string) == [:], "seed \(seed)")
            let merged = try Self.read(box.data.string)
            // Each file of the container is as it was, and each local one is at its path or a version of it.
            for (path, text) in theirs { #expect(merged[path] == text, "seed \(seed): \(path)") }
            for (path, text) in mine where merged[path] != text {
                let file = Self.original(path) ?? path
                #expect(theirs[path] != nil, "seed \(seed): \(path)")
                #expect(
                    merged.contains { $0.value == text && Self.original($0.key) == file }, "seed \(seed): \(path)")
            }
            // Nothing was made up, and no version twice.
            let versions = Set(merge.versions.map { $0.string.dropFirst(box.data.string.count + 1) })
            for path in merged.keys where mine[path] == nil && theirs[path] == nil {
                #expect(versions.contains(path[...]), "seed \(seed): \(path)")
            }
            #expect(merged.count == Set(mine.keys).union(theirs.keys).count + versions.count, "seed \(seed)")
            // Once more changes nothing.
            #expect(try await local.move(into: box) == ContainerMerge(), "seed \(seed)")
            #expect(try Self.read(box.data.string) == merged, "seed \(seed)")
        }
    }

    private func expectAllMoved(_ local: LocalContainer, _ box: PlainContainer) async throws {
        let left = try await local.move(into: box).left.map(\.message)
        #expect(left == [])
    }

    @Test func anEntryThatCannotMoveStays() async throws {
        let (disk, memory) = (try Scratch(), try ScratchDirectory())
        let box = PlainContainer(data: FilePath(memory.path))
        let local = try LocalContainer(identifier: "box", in: FilePath(disk.path))
        try Self.write(
            ["Documents/a/b": "file in a folder", "Documents/c": "fine", "Documents/Party": "x"],
            below: local.data.string)
        try Self.write(["Documents/a": "a file", "Documents/party": "y"], below: box.data.string)
        let merge = try await local.move(into: box)
        #expect(merge.left.map(\.code) == [.nameDiffersInCase, .exists])
        #expect(try Self.read(local.data.string) == ["Documents/a/b": "file in a folder", "Documents/Party": "x"])
        #expect(
            try Self.read(box.data.string) == ["Documents/a": "a file", "Documents/c": "fine", "Documents/party": "y"])
        // A container that is this folder, or is inside of it or around it.
        for path in [local.data.string, local.data.string + "/Documents", disk.path] {
            await #expect { try await local.move(into: PlainContainer(data: FilePath(path))) } throws: {
                ($0 as? DocumentError)?.code == .invalidName
            }
        }
        #expect(try Self.read(local.data.string).count == 2)
        // A container that is gone takes nothing.
        try Self.write(["Documents/d": "d"], below: local.data.string)
        await #expect { try await local.move(into: PlainContainer(data: FilePath(memory.path + "/gone"))) } throws: {
            ($0 as? DocumentError)?.code == .notFound
        }
        #expect(try Self.read(local.data.string)["Documents/d"] == "d")
    }

    @Test func filesOfASharedContainerAreShared() async throws {
        let (disk, memory) = (try Scratch(), try ScratchDirectory())
        chmod(memory.path, 0o2775)
        let box = PlainContainer(data: FilePath(memory.path))
        let local = try LocalContainer(identifier: "box", in: FilePath(disk.path))
        try Self.write(
            ["Documents/a/new": "1", "Documents/both": "mine", ".gather/trash/t/x": "2"], below: local.data.string)
        for folder in ["Documents", "Documents/a", ".gather"] { chmod(local.data.string + "/" + folder, 0o700) }
        try Self.write(["both": "theirs"], below: try box.folder(["Documents"]).string)
        try await expectAllMoved(local, box)
        for name in ["Documents/a", "Documents/a/new", ".gather", ".gather/trash", ".gather/trash/t/x"] {
            var status = stat()
            #expect(stat(box.data.string + "/" + name, &status) == 0)
            #expect(status.st_mode & 0o060 == 0o060, "\(name) has \(String(status.st_mode, radix: 8))")
        }
        let version = try #require(FileVersion.conflicts(of: FilePath(box.data.string + "/Documents/both")).first)
        #expect(try version.contents() == Array("mine".utf8))
    }

    @Test func aVersionOfAKilledSaveIsMoved() async throws {
        let (disk, memory) = (try Scratch(), try ScratchDirectory())
        let box = PlainContainer(data: FilePath(memory.path))
        let local = try LocalContainer(identifier: "box", in: FilePath(disk.path))
        try Self.write(
            ["Documents/a.txt": "new", "Documents/.syncthing.gather-a.txt.tmp": "former"], below: local.data.string)
        try Self.write(["Documents/b.txt": "b"], below: box.data.string)
        try await expectAllMoved(local, box)
        #expect(Set(try Self.read(box.data.string).values) == ["new", "former", "b"])
        #expect(try FileVersion.conflicts(of: FilePath(memory.path + "/Documents/a.txt")).count == 1)
    }

    @Test func valuesAreMergedByTheirTimes() async throws {
        let (disk, memory) = (try Scratch(), try ScratchDirectory())
        let local = try LocalContainer(identifier: "box", in: FilePath(disk.path))
        func store(_ container: some FileContainer) async throws -> KeyValueStore {
            try await KeyValueStore(
                directory: FilePath(container.data.string + "/" + KeyValueStore.nameInContainer), followingThrough: nil)
        }
        func set(_ values: [String: String], in container: some FileContainer) async throws {
            let store = try await store(container)
            for (key, value) in values { try store.set(.string(value), forKey: key) }
            try await store.close()
        }
        let box = PlainContainer(data: FilePath(memory.path))
        #expect(try await KeyValueStore(container: local).dictionary == [:])
        try await set(["both": "older", "local": "1"], in: local)
        try await set(["both": "newer", "box": "2"], in: box)
        try await expectAllMoved(local, box)
        let merged = ["both": "newer", "local": "1", "box": "2"]
        #expect(try await store(box).dictionary == merged.mapValues { KeyValue.string($0) })
        // The local store is empty now.
        #expect(try await store(local).dictionary == [:])
        try await set(["both": "newest"], in: local)
        try await expectAllMoved(local, box)
        #expect(try await store(box).dictionary["both"] == .string("newest"))
    }

    @Test(arguments: ["", ".", "..", "a/b", "a\0b"])
    func anIdentifierThatIsNoNameIsRefused(identifier: String) throws {
        let scratch = try Scratch()
        #expect {
            try LocalContainer(identifier: ContainerIdentifier(identifier), in: FilePath(scratch.path))
        } throws: {
            ($0 as? DocumentError)?.code == .invalidName
        }
    }

    @Test(arguments: ["", "folder", "./folder"]) func aRelativePathIsRefused(directory: String) throws {
        #expect { try LocalContainer(identifier: "box", in: FilePath(directory)) } throws: {
            ($0 as? DocumentError)?.code == .invalidName
        }
    }

    @Test func thePathNeedNotBeText() async throws {
        let scratch = try Scratch()
        let folder = FilePath(bytes: Array(scratch.path.utf8) + [0x2F, 0xFF])
        let local = try LocalContainer(identifier: "box", in: folder.appending("inner"))
        let document = Document<Text>(
            path: try local.folder(["Documents"]).appending("a"), options: DocumentOptions(followsChanges: false))
        try await document.create(Text("x"))
        #expect(try local.entries().map(\.path.bytes) == [folder.bytes + Array("/inner/box/Documents/a".utf8)])
        let names = try #require(try? Package.read(folder.appending("inner"))).filePaths
        #expect(names == ["box/Documents/a"])
    }
}
