// Packages: reading, saving beside other programs, and trees that no package has.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import Glibc
import Testing

struct PackageTests {
    private let scratch: Scratch
    private let path: String

    init() throws {
        scratch = try Scratch()
        path = scratch.path + "/Market.gro"
        for folder in ["", "/items", "/images"] { mkdir(path + folder, 0o755) }
        for (name, text) in [("items/1", "flour"), ("items/2", "milk"), ("images/1", "picture")] {
            try scratch.write(text, to: "Market.gro/" + name)
        }
    }

    private func text(_ name: String) throws -> String { try scratch.read("Market.gro/" + name) }
    private func inode(_ name: String) throws -> ino_t { try scratch.status("Market.gro/" + name).st_ino }
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    private var options: DocumentOptions {
        DocumentOptions(
            autosaveInterval: .seconds(3_600), followsChanges: false,
            device: DeviceIdentifier(text: "AAAAAAA", name: "ana"))
    }
    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()
    }

    // MARK: Saving

    @Test func unchangedFilesKeepTheirInodesAndAreNotRead() throws {
        var package = try Package.read(FilePath(path))
        #expect(package.filePaths == ["images/1", "items/1", "items/2"])
        #expect(package["items/1"]?.file?.isLoaded == false)
        let (before, root) = (try inode("images/1"), try inode(""))
        let replaced = try inode("items/1")
        try package.set(bytes("2 kg flour"), at: "items/1")
        try package.set(bytes("bread"), at: "more/folders/3")
        try package.remove("items/2")
        try package.set(.symbolicLink(target: bytes("../items/1")), at: "images/link")
        #expect(try package.save(to: FilePath(path), options: options) == [])
        #expect(try inode("images/1") == before && scratch.status("Market.gro/images/1").st_nlink == 1)
        #expect(try inode("items/1") != replaced && inode("") != root)
        #expect(try text("items/1") == "2 kg flour" && text("more/folders/3") == "bread")
        #expect(try text("images/link") == "2 kg flour")
        #expect(try names("items") == ["1"])
        #expect(package["images/1"]?.file?.isLoaded == false)
        #expect(try package.contents(at: "images/1") == bytes("picture"))
        #expect(try scratch.names == ["Market.gro"])
        #expect(try names("") == ["images", "items", "more"])
        // Nothing to save leaves the package alone.
        let saved = try inode("")
        try package.save(to: FilePath(path), options: options)
        #expect(try inode("") == saved)
    }

    @Test func movedFilesAndRebuiltPackagesAreNotWrittenAnew() throws {
        var package = try Package.read(FilePath(path))
        let (first, second) = (try inode("items/1"), try inode("items/2"))
        try package.move("items/1", to: "done/1")
        try package.save(to: FilePath(path), options: options)
        #expect(try inode("done/1") == first)
        #expect(try package.contents(at: "done/1") == bytes("flour"))
        var rebuilt = Package()
        try rebuilt.set(bytes("milk"), at: "items/2")
        try rebuilt.set(bytes("new"), at: "items/3")
        try rebuilt.save(to: FilePath(path), options: options)
        #expect(try inode("items/2") == second)
        // A package that was loaded from nowhere removes nothing.
        #expect(try inode("done/1") == first)
    }

    @Test func modeGroupAndAttributesAreKept() throws {
        Attributes.set("user.xdg.tags", "folder", path)
        Attributes.set("user.xdg.tags", "file", path + "/items/1")
        chmod(path + "/items/1", 0o640)
        chmod(path + "/items", 0o2770)
        chmod(path, 0o750)
        var package = try Package.read(FilePath(path))
        try package.set(bytes("other"), at: "items/1")
        try package.save(to: FilePath(path), options: options)
        #expect(try scratch.status("Market.gro/items/1").st_mode & 0o7777 == 0o640)
        #expect(try scratch.status("Market.gro/items").st_mode & 0o7777 == 0o2770)
        #expect(try scratch.status("Market.gro").st_mode & 0o7777 == 0o750)
        #expect(Attributes.get("user.xdg.tags", path) == "folder")
        #expect(Attributes.get("user.xdg.tags", path + "/items/1") == "file")
        #expect(Attributes.get("user.gather.device", path + "/items/1") == "AAAAAAA ana")
    }

    @Test func changesOfOtherProgramsStay() throws {
        var package = try Package.read(FilePath(path))
        try scratch.write("theirs", to: "Market.gro/items/3")
        try scratch.write("oat milk", to: "Market.gro/items/2")
        unlink(path + "/images/1")
        try scratch.write("half a download", to: "Market.gro/items/.syncthing.4.tmp")
        try package.set(bytes("mine"), at: "items/1")
        #expect(try package.save(to: FilePath(path), options: options) == [])
        #expect(try text("items/1") == "mine" && text("items/2") == "oat milk" && text("items/3") == "theirs")
        #expect(try names("items") == [".syncthing.4.tmp", "1", "2", "3"])
        #expect(try names("images") == [])
        // The second save knows no more of the other program's files than the first one, and removes none.
        try package.set(bytes("mine again"), at: "items/1")
        try package.save(to: FilePath(path), options: options)
        #expect(try text("items/2") == "oat milk" && text("items/3") == "theirs")
        #expect(throws: DocumentError.self) { try package.contents(at: "items/2") }
    }

    @Test func anEditCountsMoreThanARemoval() throws {
        var package = try Package.read(FilePath(path))
        try package.remove("items/1")
        try package.set(bytes("mine"), at: "items/2")
        try scratch.write("theirs", to: "Market.gro/items/1")
        unlink(path + "/items/2")
        #expect(try package.save(to: FilePath(path), options: options) == [])
        #expect(try text("items/1") == "theirs" && text("items/2") == "mine")
    }

    @Test func aFileThatBothChangedHasAConflictVersionInside() throws {
        var package = try Package.read(FilePath(path))
        try package.set(bytes("mine"), at: "items/1")
        try package.set(bytes("same"), at: "items/2")
        try scratch.write("theirs", to: "Market.gro/items/1")
        try scratch.write("same", to: "Market.gro/items/2")
        let kept = try package.save(to: FilePath(path), options: options)
        #expect(
            kept.count == 1 && kept[0].string.hasPrefix(path + "/items/1.sync-conflict-2")
                && kept[0].string.hasSuffix("-AAAAAAA"))
        #expect(try text("items/1") == "mine")
        let versions = try FileVersion.conflicts(of: FilePath(path + "/items/1"))
        #expect(try versions.map { try $0.contents() } == [bytes("theirs")])
        let again = try Package.read(FilePath(path))
        #expect(again.conflictVersions.count == 1 && again.filePaths == ["images/1", "items/1", "items/2"])
    }

    @Test func aFileInThePlaceOfAFolderKeepsBoth() throws {
        var package = try Package.read(FilePath(path))
        try package.remove("items")
        try package.set(bytes("mine"), at: "items")
        try scratch.write("theirs", to: "Market.gro/items/3")
        try package.save(to: FilePath(path), options: options)
        #expect(try text("items") == "mine")
        let folder = try #require(try names("").first { $0.hasPrefix("items.sync-conflict-") })
        #expect(try names(folder) == ["3"])
    }

    @Test func savesOfOneProgramWaitForThoseOfAnother() throws {
        // Many threads add a file each to one package, from copies that know nothing of each other.
        let (path, options) = (path, options)
        _ = try (0..<24).concurrently { number in
            var package = try Package.read(FilePath(path))
            try package.set(Array("\(number)".utf8), at: FilePath("items/new-\(number)"))
            try package.save(to: FilePath(path), options: options)
        }
        #expect(try names("items").count == 26)
        #expect(try scratch.names == ["Market.gro"])
    }

    // MARK: Refusals

    @Test func treesThatNoPackageHasAreRefused() throws {
        func code(_ make: () -> Void) throws -> DocumentError.Code? {
            make()
            return #expect(throws: DocumentError.self) { try Package.read(FilePath(path)) }?.code
        }
        #expect(try code { mkfifo(path + "/items/fifo", 0o600) } == .specialFile)
        var package = Package()
        try package.set(bytes("x"), at: "a")
        #expect(throws: DocumentError.self) { try package.save(to: FilePath(path), options: options) }
        unlink(path + "/items/fifo")
        symlink(".", path + "/items/loop")
        #expect(try Package.read(FilePath(path))["items/loop"]?.folder == nil)
        var deep = path
        for _ in 0...DocumentLimits.packageDepth {
            deep += "/d"
            mkdir(deep, 0o755)
        }
        #expect(try code {} == .tooDeep)
        #expect(
            #expect(throws: DocumentError.self) { try Package.read(FilePath(path + "/items/1")) }?.code == .notADocument
        )
        #expect(
            #expect(throws: DocumentError.self) { try Package.read(FilePath(path + "/items/loop")) }?.code
                == .notADocument)
        #expect(#expect(throws: DocumentError.self) { try Package.read(FilePath(path + "/none")) }?.code == .notFound)
    }

    @Test(arguments: [
        "", "..", "/a", "a/../b", ".syncthing.a.tmp", "a.sync-conflict-20260101-000000-ABCDEFG",
        String(repeating: "x", count: DocumentLimits.nameBytes + 1),
    ]) func namesThatCannotBeSavedAreRefused(_ name: String) throws {
        var package = try Package.read(FilePath(path))
        #expect(#expect(throws: DocumentError.self) { try package.set([], at: FilePath(name)) }?.code == .invalidName)
        if let name = FilePath.Component(name) {
            package.root[name] = .file([])
            #expect(
                #expect(throws: DocumentError.self) { try package.save(to: FilePath(path), options: options) }?.code
                    == .invalidName)
        }
        #expect(try names("") == ["images", "items"])
    }

    // MARK: Documents

    private struct Album: PackageContents {
        var package: Package
        init(package: Package) { self.package = package }
    }

    @Test func aDocumentMayBeAPackage() async throws {
        let document = Document<Album>(path: FilePath(path), options: options)
        try await document.open()
        try await document.edit("Remove") { try $0.package.remove("images/1") }
        try await document.save()
        #expect(try names("images") == [])
        try await document.undo()
        try await document.save()
        #expect(try text("images/1") == "picture")
        // Another program adds and changes files beside an unsaved edit.
        try await document.edit { try $0.package.set(Array("mine".utf8), at: "items/1") }
        try scratch.write("theirs", to: "Market.gro/items/3")
        try await document.refresh()
        #expect(document.state == [])
        try await document.save()
        #expect(try await document.contents.package.contents(at: "items/3") == bytes("theirs"))
        #expect(try await document.contents.package.contents(at: "items/1") == bytes("mine"))
        // Without an unsaved edit it is loaded at once, also if it has the same size.
        try scratch.write("THEIRS", to: "Market.gro/items/3")
        try await document.refresh()
        #expect(try await document.contents.package.contents(at: "items/3") == bytes("THEIRS"))
        try scratch.write("x", to: "Market.gro/items/3.sync-conflict-20260101-000000-ABCDEFG")
        try await document.refresh()
        #expect(document.state == .inConflict)
        try await document.close()
        let other = Document<Album>(path: FilePath(scratch.path + "/New.gro"), options: options)
        try await other.create(Album(package: Package()))
        #expect(try scratch.names == ["Market.gro", "New.gro"])
    }
}
