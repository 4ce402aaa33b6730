// The lists of what devices saved: their form, their limits and damage.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Metadata
import Testing

@testable import SyncService

struct SavedListTests {
    private let directory: String

    init() throws {
        directory = NSTemporaryDirectory() + "gather-saved-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    }

    private func end() { try? FileManager.default.removeItem(atPath: directory) }

    private static func line(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits + " 2026-11-28T12:00:00.123456789Z"
    }

    private static func version(_ number: Int) throws -> SavedVersion {
        let fields = line(number).split(separator: " ")
        return try #require(SavedVersion(hash: fields[0], modified: fields[1]))
    }

    private func write(_ text: String, _ name: String) throws {
        try? FileManager.default.createDirectory(
            atPath: directory + "/.gather-sync", withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: directory + "/.gather-sync/" + name))
    }

    @Test func versionsAreAddedOnceAndInTheirOrder() throws {
        var list = SavedList(parsing: Array((Self.line(1) + "\n").utf8))
        #expect(try list.add([Self.version(3), Self.version(1), Self.version(2), Self.version(3)]))
        #expect(try !list.add([Self.version(2)]))
        #expect(String(decoding: list.bytes, as: UTF8.self) == [1, 3, 2].map { Self.line($0) + "\n" }.joined())
        #expect(SavedList().bytes == [])
    }

    @Test func fieldsOfLaterVersionsAreKept() throws {
        let text = Self.line(1) + " base=abc later\n"
        var list = SavedList(parsing: Array(text.utf8))
        #expect(try list.versions == [Self.version(1)])
        #expect(try list.add([Self.version(2)]))
        #expect(String(decoding: list.bytes, as: UTF8.self) == text + Self.line(2) + "\n")
    }

    @Test func damagedLinesAreLeftOut() throws {
        let (hash, time) = (String(repeating: "a", count: 64), "2026-11-28T12:00:00.123456789Z")
        let damaged = [
            "", " ", hash, hash + " ", hash.uppercased() + " " + time, hash.dropLast() + " " + time,
            hash + "a " + time, hash + "  " + time, hash + "\t" + time, "g" + hash.dropFirst() + " " + time,
            hash + " 2026-11-28T12:00:00Z", hash + " 2026-11-28 12:00:00.123456789Z",
            hash + " 2026-13-28T12:00:00.123456789Z", hash + " 2026-11-28T12:00:00.123456789+01:00",
            hash + " 9999999999-11-28T12:00:00.123456789Z", hash + " " + time + "\r", "\0",
            Self.line(2) + " " + String(repeating: "x", count: 1000),
        ]
        for text in damaged {
            let list = SavedList(parsing: Array((Self.line(1) + "\n" + text + "\n" + Self.line(3)).utf8))
            #expect(try list.versions == [Self.version(1), Self.version(3)], "\(text)")
        }
        let bytes = Array((Self.line(1) + "\n").utf8) + [0xFF, 0xFE, 10] + Array(Self.line(2).utf8) + [32, 0xFF, 10]
        #expect(try SavedList(parsing: bytes).versions == [Self.version(1)])
        #expect(SavedList(parsing: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).versions.isEmpty)
    }

    @Test func oldestVersionsGoFirst() throws {
        let count = SyncLimits.savedVersions
        var list = SavedList()
        _ = list.add(try (0..<count).map(Self.version))
        #expect(list.versions.count == count)
        _ = list.add(try [Self.version(count), Self.version(count + 1)])
        #expect(list.versions.count == count)
        #expect(try list.versions.first == Self.version(2))
        #expect(SavedList(parsing: list.bytes).versions == list.versions)
        let long = (0..<2 * count).map { Self.line($0) + "\n" }.joined()
        #expect(try SavedList(parsing: Array(long.utf8)).versions.first == Self.version(count))
    }

    /// A log must not push the versions of all other files out of the list.
    @Test func fileThatIsSavedAgainAndAgainKeepsItsLastVersions() throws {
        var saves = RecentSaves()
        var list = SavedList()
        saves.add(try Self.version(0), of: "letter")
        let count = SyncLimits.savedVersions * 3
        for number in 1...count {
            saves.add(try Self.version(number), of: "log")
            guard number.isMultiple(of: 7) || number == count else { continue }
            _ = list.add(saves.unlisted, removing: saves.former)
            saves.wereListed()
        }
        let last = (0..<SyncLimits.savedVersionsOfFile).map { count - $0 }.reversed()
        #expect(try list.versions == ([0] + last).map(Self.version))
    }

    @Test func listsOfAllDevicesTellTheAuthor() throws {
        defer { end() }
        try write(Self.line(1) + "\n" + Self.line(2) + "\n", "saved-AAAAAAA")
        try write(Self.line(2) + "\n" + Self.line(3) + "\n", "saved-BBBBBBB")
        // Names that are no lists, and a version in conflict of a list.
        for name in ["saved-", "saved-short", "saved-CCCCCCC.sync-conflict-20261128-120000-AAAAAAA", "saved-ccccccc"] {
            try write(Self.line(1) + "\n", name)
        }
        mkfifo(directory + "/.gather-sync/saved-DDDDDDD", 0o600)
        symlink("saved-BBBBBBB", directory + "/.gather-sync/saved-EEEEEEE")
        mkdir(directory + "/.gather-sync/saved-FFFFFFF", 0o700)
        truncate(directory + "/.gather-sync/saved-AAAAAAA", off_t(2 * Self.line(1).utf8.count + 2))
        var lists = SavedLists(in: [directory, directory + "/missing"])
        #expect(try lists.author(of: Self.version(1)) == "AAAAAAA")
        #expect(try lists.author(of: Self.version(2)) == nil)
        #expect(try lists.author(of: Self.version(3)) == "BBBBBBB")
        #expect(try lists.author(of: Self.version(4)) == nil)
        #expect(try lists.have(Self.version(2), besides: "AAAAAAA") && !lists.have(Self.version(1), besides: "AAAAAAA"))
        #expect(try lists.have(Self.version(1).modified) && !lists.have(Timestamp(nanoseconds: 1)))
        lists.add([try Self.version(3)], of: "CCCCCCC")
        #expect(try lists.author(of: Self.version(3)) == nil)
    }

    /// A hostile device may send lists of any size, and any number of them.
    @Test func tooLargeListsAndTooManyAreNotRead() throws {
        defer { end() }
        let line = Self.line(1) + "\n"
        try write(line, "saved-AAAAAAA")
        truncate(directory + "/.gather-sync/saved-AAAAAAA", off_t(1) << 40)
        #expect(SavedList.read("AAAAAAA", in: directory).versions.isEmpty)
        #expect(try SavedLists(in: [directory]).author(of: Self.version(1)) == nil)
        let letters = Array("ABCDEFGHIJ")
        for number in 0..<100 {
            try write(Self.line(number) + "\n", "saved-BBBBB\(letters[number / 10])\(letters[number % 10])")
        }
        let lists = SavedLists(in: [directory])
        #expect(
            try (0..<100).filter { try lists.author(of: Self.version($0)) != nil }.count == SyncLimits.savedLists - 1)
    }

    @Test func filesHaveTheVersionThatTheirDevicesList() async throws {
        defer { end() }
        let path = directory + "/letter.txt"
        try Data("abc".utf8).write(to: URL(filePath: path))
        let time = timespec(tv_sec: 1_000_000_000, tv_nsec: 5)
        try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        let version = try #require(await SavedVersion.read(path))
        #expect(
            version.text
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad 2001-09-09T01:46:40.000000005Z")
        try #require(truncate(path, off_t(SyncLimits.hashedBytes + 1)) == 0)
        #expect(await SavedVersion.read(path) == nil)
        #expect(await SavedVersion.read(directory) == nil)
        #expect(await SavedVersion.read(directory + "/missing") == nil)
        mkfifo(directory + "/fifo", 0o600)
        #expect(await SavedVersion.read(directory + "/fifo") == nil)
    }

    /// Syncthing may be another user than the helper, whose umask lets no other user read.
    @Test func filesHaveThePermissionsOfTheFolder() throws {
        defer { end() }
        try #require(chmod(directory, 0o2775) == 0)
        try ReplicatedFile.write([1], "saved-AAAAAAA", in: directory)
        try ReplicatedFile.write([2], "saved-AAAAAAA", in: directory)
        func mode(_ path: String) throws -> mode_t {
            var status = stat()
            try #require(stat(directory + path, &status) == 0)
            return status.st_mode & 0o7777
        }
        #expect(try mode("/.gather-sync") == 0o2775)
        #expect(try mode("/.gather-sync/saved-AAAAAAA") == 0o664)
        #expect(try Data(contentsOf: URL(filePath: directory + "/.gather-sync/saved-AAAAAAA")) == Data([2]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/.gather-sync").count == 1)
    }
}
