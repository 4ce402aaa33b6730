// The files that killed processes left beside their documents.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import Testing

@testable import SyncService

struct LeftSaveTests {
    private static let left = ".syncthing.gather-a.txt.tmp"
    private let directory: String

    init() throws {
        directory = NSTemporaryDirectory() + "gather-left-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: directory + "/" + name))
    }

    private func read(_ name: String) throws -> String {
        try String(contentsOfFile: directory + "/" + name, encoding: .utf8)
    }

    private func adopt(_ name: String = LeftSaveTests.left, isEvicted: Bool = false) throws -> [String]? {
        try LeftSave.adopt(name, in: directory, isEvicted: isEvicted)
    }

    private func end() throws -> [String] {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        return try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    @Test func aDocumentWhoseFirstSaveWasKilledIsThere() throws {
        try write("left", Self.left)
        #expect(try adopt() == ["a.txt"])
        #expect(try read("a.txt") == "left")
        #expect(try adopt() == [])
        #expect(try end() == ["a.txt"])
    }

    @Test func anotherVersionIsKept() throws {
        try write("current", "a.txt")
        try write("left", Self.left)
        var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, directory + "/" + Self.left, &times, 0) == 0)
        let name = try #require(try adopt()?.first)
        #expect(name.wholeMatch(of: /a\.sync-conflict-20010909-014640-[A-Z2-7]{7}\.txt/) != nil)
        #expect(try read(name) == "left")
        #expect(try read("a.txt") == "current")
        // The same version again.
        try write("left", Self.left)
        #expect(utimensat(AT_FDCWD, directory + "/" + Self.left, &times, 0) == 0)
        #expect(try adopt() == [])
        #expect(try end() == [name, "a.txt"].sorted())
    }

    @Test func contentsThatTheDocumentHasAreNotKept() throws {
        try write("same", "a.txt")
        try write("same", Self.left)
        #expect(try adopt() == [])
        #expect(try end() == ["a.txt"])
    }

    @Test func theNameOfAnEvictedDocumentStaysFree() throws {
        try write("left", Self.left)
        let name = try #require(try adopt(isEvicted: true)?.first)
        #expect(name.hasPrefix("a.sync-conflict-"))
        #expect(try end() == [name])
    }

    @Test func aSaveThatIsUnderWayIsLeftAlone() throws {
        try write("new", Self.left)
        let folder = try Directory.open(directory, access: .reading)
        var lock = try folder.lockDirectory()
        #expect(lock != nil)
        #expect(try adopt() == nil)
        #expect(try read(Self.left) == "new")
        lock = nil
        #expect(try adopt() == ["a.txt"])
        #expect(try end() == ["a.txt"])
    }

    @Test(arguments: [
        "a.txt", ".syncthing.a.txt.tmp", ".syncthing.gather-..tmp", ".syncthing.gather-...tmp",
        ".syncthing.gather-.syncthing.x.tmp", ".syncthing.gather-a.sync-conflict-20260101-000000-ABCDEFG.tmp",
        ".syncthing.gather.part-a.tmp", ".syncthing.gather.evict-ff216d.tmp",
    ])
    func otherFilesAreLeftAlone(name: String) throws {
        try write("x", name)
        #expect(LeftSave.document(of: name) == nil)
        #expect(try adopt(name) == [])
        #expect(try end() == [name])
    }
}
