// Versions that this device saved, and when their list is written.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct RecentSavesTests {
    private let start = RecentSaves.Moment.now
    private var saves = RecentSaves()

    private static func version(_ number: Int) throws -> SavedVersion {
        let digits = String(number, radix: 16)
        let hash = String(repeating: "0", count: 64 - digits.count) + digits
        return try #require(SavedVersion(hash: hash[...], modified: "2026-11-28T12:00:00.123456789Z"))
    }

    @Test mutating func versionsWaitForTheList() throws {
        saves.add(try Self.version(1), of: "a")
        saves.add(try Self.version(2), of: "b")
        saves.beginWriting { $0.hash.hasSuffix("1") }
        #expect(saves.unlisted == [try Self.version(2)], "another device wrote the first")
        saves.couldNotBeListed(at: start)
        #expect(saves.unlisted == [try Self.version(2)])
        saves.wereListed()
        #expect(saves.unlisted.isEmpty)
    }

    @Test mutating func oneTaskWaitsToWriteTheList() {
        #expect(saves.beginListing() != nil)
        #expect(saves.beginListing() == nil)
        saves.beginWriting { _ in false }
        #expect(saves.beginListing() != nil)
    }

    @Test(arguments: [
        (0, SyncLimits.savedListPause), (1_000, SyncLimits.savedListPause),
        (10 * SyncLimits.savedListBytesPerSecond, .seconds(10)),
    ])
    mutating func aLongListIsWrittenMoreRarely(bytes: Int, pause: Duration) {
        saves.wereListed(inBytes: bytes, at: start)
        #expect(saves.beginListing() == start + pause)
    }

    @Test mutating func aListThatCannotBeWrittenIsTriedLater() {
        saves.couldNotBeListed(at: start)
        #expect(saves.beginListing() == start + SyncLimits.failedListPause)
    }

    @Test mutating func theFormerVersionsOfAFileLeaveTheList() throws {
        let count = SyncLimits.savedVersionsOfFile
        for number in 0..<count { saves.add(try Self.version(number), of: "log") }
        saves.add(try Self.version(count), of: "letter")
        #expect(saves.former.isEmpty)
        saves.add(try Self.version(count + 1), of: "log")
        #expect(saves.former == [try Self.version(0)])
        saves.add(try Self.version(0), of: "copy")
        #expect(saves.former.isEmpty, "it is the version of another file now")
    }

    @Test mutating func unlistedVersionsAreBounded() throws {
        for number in 0...SyncLimits.savedVersions { saves.add(try Self.version(number), of: "\(number)") }
        #expect(saves.unlisted.count == SyncLimits.savedVersions)
        #expect(saves.unlisted.first == (try Self.version(1)))
    }
}
