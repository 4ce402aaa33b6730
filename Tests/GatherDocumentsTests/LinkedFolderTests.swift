// Symbolic links in place of folders of a container: nothing behind them is read, made, changed or moved.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import GatherDocuments

@Suite(.serialized) struct LinkedFolderTests {
    /// The folders that another user may exchange for links.
    private static let levels = [
        "Documents", "Documents/list", "Documents/list/items", ".gather", ".gather/trash", ".gather/key-values",
    ]
    private static let name = "note.txt"
    private static let version = "note.sync-conflict-20261101-120000-ABCDEFG.txt"

    /// A container, and private folders of the same form.
    private final class World: Sendable {
        let scratch: Scratch
        let container: LocalContainer
        let privatePath: String
        let outside: PrivateFolder
        var file: FilePath { container.data.appending("Documents/list/items/\(LinkedFolderTests.name)") }

        init() throws {
            scratch = try Scratch()
            container = try LocalContainer(identifier: "box", in: FilePath(scratch.path))
            privatePath = scratch.path + "/private"
            for (place, text) in [(container.data.string, "shared"), (privatePath, PrivateFolder.marker)] {
                for folder in [
                    "Documents/list/items", ".gather/trash/20261101-120000/Documents/list/items", ".gather/key-values",
                ] {
                    try FileManager.default.createDirectory(
                        atPath: place + "/" + folder, withIntermediateDirectories: true)
                }
                for name in [LinkedFolderTests.name, LinkedFolderTests.version, "other.txt"] {
                    try Data("\(text) \(name)".utf8).write(to: URL(filePath: "\(place)/Documents/list/items/\(name)"))
                }
                try Data(text.utf8).write(
                    to: URL(filePath: "\(place)/.gather/trash/20261101-120000/Documents/list/items/gone.txt"))
                try Data("A 1\n".utf8).write(to: URL(filePath: "\(place)/.gather/key-values/AAAAAAA.keyvalues"))
            }
            outside = PrivateFolder(privatePath)
        }

        /// Exchanges a folder for a link to its private twin.
        func exchange(_ level: String) throws {
            let place = "\(container.data)/\(level)"
            try #require(rename(place, place + ".away") == 0 && symlink(privatePath + "/" + level, place) == 0)
        }
    }

    /// Everything that a program can do with a file of a container. Each returns bytes that it got.
    private static let operations: [(name: String, run: @Sendable (World) async throws -> [UInt8])] = [
        (
            "open",
            { world in
                let document = Document<Text>(path: world.file, options: DocumentOptions(followsChanges: false))
                try await document.open()
                return try await Array(document.contents.text.utf8)
            }
        ),
        (
            "create",
            { world in
                let document = Document<Text>(
                    path: FilePath("\(world.file).new"), options: DocumentOptions(followsChanges: false))
                try await document.create(Text("new"))
                try await document.close()
                return []
            }
        ),
        ("read", { world in Array(try Text.read(world.file, settingAttributes: true).contents.text.utf8) }),
        ("current", { world in try FileVersion.current(of: world.file)?.contents() ?? [] }),
        ("conflicts", { world in try FileVersion.conflicts(of: world.file).flatMap { try $0.contents() } }),
        ("add", { world in try FileVersion.add(Array("new".utf8), to: world.file).bytes }),
        (
            "identical",
            { world in
                _ = try FileVersion.removeIdentical(of: world.file)
                return []
            }
        ),
        (
            "replace",
            { world in
                for version in try FileVersion.conflicts(of: world.file) { try version.replaceCurrent() }
                return []
            }
        ),
        (
            "save",
            { world in
                let current = try FileVersion.current(of: world.file)
                try FileVersion.save(
                    Array("merged".utf8), of: world.file, over: current, current?.contents(),
                    trash: world.container.trash)
                return []
            }
        ),
        ("author", { world in Array((FileVersion.author(of: world.file)?.text ?? "").utf8) }),
        ("trash", { world in try world.container.trash.move(world.file).path.bytes }),
        ("keep", { world in try world.container.trash.keep(Array("kept".utf8), of: world.file).path.bytes }),
        (
            "restore",
            { world in
                let gone = world.container.data.appending("Documents/list/items/gone.txt")
                for item in world.container.trash.items(of: gone) { try world.container.trash.restore(item) }
                return []
            }
        ),
        (
            "restore a known item",
            { world in
                let data = world.container.data
                try world.container.trash.restore(
                    Trash.Item(
                        path: data.appending(".gather/trash/20261101-120000/Documents/list/items/gone.txt"),
                        originalPath: data.appending("Documents/list/items/gone.txt")))
                return []
            }
        ),
        ("folder", { world in try world.container.folder(["Documents", "list", "items", "inner"]).bytes }),
        (
            "entries",
            { world in
                Array(try world.container.entries(in: ["list", "items"]).map(\.name).joined().utf8)
            }
        ),
        (
            "move in",
            { world in
                try world.scratch.write("from outside", to: "moved.txt")
                let moved = FilePath(world.scratch.path + "/moved.txt")
                return try world.container.moveIn(moved, to: ["Documents", "list", "items"]).bytes
            }
        ),
        (
            "move out",
            { world in
                try world.container.moveOut(
                    world.container.data.appending("Documents/list/items/other.txt"),
                    to: FilePath(world.scratch.path + "/out.txt"))
                return []
            }
        ),
        (
            "package",
            { world in
                let package = try Package.read(world.container.data.appending("Documents/list"))
                return try package.contents(at: FilePath("items/" + LinkedFolderTests.name))
            }
        ),
        (
            "save a package",
            { world in
                var package = Package()
                try package.set(Array("new".utf8), at: "items/new.txt")
                try package.save(to: world.container.data.appending("Documents/list"))
                return []
            }
        ),
        (
            "values",
            { world in
                let store = try await KeyValueStore(container: world.container)
                try store.set("blue", forKey: "tint")
                try await store.close()
                return Array(store.dictionary.keys.joined().utf8)
            }
        ),
        (
            "move all",
            { world in
                let items = world.container.data.string + "/Documents/list/items"
                _ = try world.container.folder(["Documents", "other"])
                try FolderMove.moveAll(from: items, to: world.container.data.string + "/Documents/other") { _ in true }
                return []
            }
        ),
        (
            "remove an empty folder",
            { world in
                _ = try FolderMove.removeEmpty(world.container.data.string + "/Documents/list/items")
                return []
            }
        ),
        (
            "look",
            { world in
                guard let entry = try PathEntry(world.file.string) else { return [] }
                return Array("\(entry.kind)".utf8)
            }
        ),
    ]

    /// With openat2(2), and with the calls of older kernels.
    @Test(arguments: levels, [false, true]) func nothingBehindALinkIsUsed(level: String, byStep: Bool) async throws {
        Directory.opensByStep = byStep
        defer { Directory.opensByStep = false }
        for operation in Self.operations {
            let world = try World()
            try world.exchange(level)
            let error: (any Error)?
            do {
                let bytes = try await operation.run(world)
                #expect(!String(decoding: bytes, as: UTF8.self).contains(PrivateFolder.marker), "\(operation.name)")
                error = nil
            } catch let thrown {
                error = thrown
            }
            #expect(world.outside.events() == [], "\(operation.name)")
            guard let error = error as? DocumentError else { continue }
            if level == "Documents/list", error.code == .notADocument { continue }
            // A package may have links, which are no files.
            if level == "Documents/list/items", operation.name == "package", error.code == .notFound { continue }
            #expect(error.code == .symbolicLink, "\(operation.name): \(error)")
            #expect(error.message.contains("/\(level) is a symbolic link"), "\(operation.name): \(error)")
        }
    }

    @Test(arguments: levels) func operationsOnTheFilesAreRefusedAndNotIgnored(level: String) async throws {
        let isOfFiles = level.hasPrefix("Documents")
        for operation in Self.operations
        where ["open", "read", "current", "add", "trash", "keep"].contains(operation.name) {
            guard isOfFiles || ["trash", "keep"].contains(operation.name) && level != ".gather/key-values" else {
                continue
            }
            let world = try World()
            try world.exchange(level)
            await #expect(throws: DocumentError.self, "\(operation.name)") { _ = try await operation.run(world) }
        }
    }

    @Test func anotherSpellingOfThePathIsRefusedToo() throws {
        let world = try World()
        try world.exchange("Documents/list")
        try #require(symlink(world.container.data.string, world.scratch.path + "/alias") == 0)
        for path in ["alias", "./box", "box/.", "/box"] {
            let file = "\(world.scratch.path)/\(path)/Documents/list/items/\(Self.name)"
            let error = #expect(throws: DocumentError.self) { _ = try FileVersion.current(of: FilePath(file)) }
            #expect(error?.code == .symbolicLink, "\(path)")
        }
        let error = #expect(throws: DocumentError.self) {
            let way = world.container.data.appending("../private/Documents/list/items/\(Self.name)")
            _ = try FileVersion.current(of: way)
        }
        #expect(error?.code == .symbolicLink)
        #expect(world.outside.events() == [])
    }

    /// Its owner chose that path.
    @Test func theContainerItselfMayBeReachedThroughALink() throws {
        let scratch = try Scratch()
        try #require(mkdir(scratch.path + "/real", 0o700) == 0 && symlink("real", scratch.path + "/way") == 0)
        let container = try LocalContainer(identifier: "box", in: FilePath(scratch.path + "/way"))
        let folder = try container.folder(["Documents"]).string
        try FileManager.default.createDirectory(atPath: folder + "/inner", withIntermediateDirectories: true)
        try Data("text".utf8).write(to: URL(filePath: folder + "/inner/note.txt"))
        #expect(try FileVersion.current(of: FilePath(folder + "/inner/note.txt"))?.contents() == Array("text".utf8))
        #expect(try FileVersion.current(of: FilePath(scratch.path + "/real/box/Documents/inner/note.txt")) != nil)
    }

    /// A descriptor that is held would show the container that was moved away.
    @Test func aContainerThatIsReplacedIsSeenAtOnce() throws {
        let world = try World()
        let data = world.container.data.string
        #expect(try FileVersion.current(of: world.file) != nil)
        try #require(rename(data, data + ".away") == 0 && mkdir(data, 0o700) == 0)
        #expect(throws: DocumentError.self) { _ = try FileVersion.current(of: world.file) }
        try FileManager.default.createDirectory(
            atPath: data + "/Documents/list/items", withIntermediateDirectories: true)
        try Data("of another".utf8).write(to: URL(filePath: world.file.string))
        #expect(try FileVersion.current(of: world.file)?.contents() == Array("of another".utf8))
    }

    @Test func aMountPointInAPackageIsNotCalledALink() throws {
        let world = try World()
        let path = world.container.data.appending("Documents/list").bytes
        #expect(DocumentError(opening: path, .crossesDevice, crossingMounts: false).code == .system)
        #expect(DocumentError(opening: path, .crossesDevice).code == .symbolicLink)
    }

    @Test func aFolderIsResolvedAsItWasOpened() throws {
        let scratch = try Scratch()
        let folder = scratch.path + "/real (deleted)"
        try #require(mkdir(folder, 0o700) == 0)
        symlink(folder, scratch.path + "/link")
        let resolved = try PathEntry.resolved(folder: Array((scratch.path + "/link").utf8))
        #expect(String(decoding: resolved, as: UTF8.self).hasSuffix("/real (deleted)"))
        rmdir(folder)
        #expect(throws: DocumentError.self) { try PathEntry.resolved(folder: Array((scratch.path + "/link").utf8)) }
    }
}
