// Files that changed, and the versions that they had then.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct ChangedFilesTests {
    private var changed = ChangedFiles()

    private static func version(_ number: Int) throws -> SavedVersion {
        let digits = String(number, radix: 16)
        let hash = String(repeating: "0", count: 64 - digits.count) + digits
        return try #require(SavedVersion(hash: hash[...], modified: "2026-11-28T12:00:00.123456789Z"))
    }

    @Test mutating func oneTaskReadsAllFiles() {
        #expect(changed.add("a") == true)
        #expect(changed.add("b") == false)
        let first = changed.next()
        #expect(changed.add("c") == false)
        let others = [changed.next(), changed.next()]
        #expect(Set([first] + others) == ["a", "b", "c"])
        #expect(changed.next() == nil)
        #expect(changed.add("d") == true, "the task has ended")
    }

    @Test mutating func aVersionIsThatOfTheLastChange() throws {
        _ = (changed.add("a"), changed.next())
        changed.take(try Self.version(1), of: "a")
        _ = changed.add("a")
        #expect(changed.takeVersion(of: "a") == nil, "the file is another one now")
        #expect(changed.next() == "a")
        _ = changed.add("a")
        changed.take(try Self.version(2), of: "a")
        #expect(changed.takeVersion(of: "a") == nil, "it changed while it was read")
        #expect(changed.next() == "a")
        changed.take(try Self.version(3), of: "a")
        #expect(changed.takeVersion(of: "a") == (try Self.version(3)))
        #expect(changed.takeVersion(of: "a") == nil)
    }

    @Test mutating func aFileThatCannotBeReadHasNoVersion() throws {
        _ = (changed.add("a"), changed.next())
        changed.take(nil, of: "a")
        #expect(changed.takeVersion(of: "a") == nil)
    }

    @Test mutating func waitingFilesAndVersionsAreBounded() throws {
        for number in 0..<SyncLimits.waitingFiles { _ = changed.add("\(number)") }
        _ = changed.add("one more")
        #expect(changed.next() == "one more")
        #expect(changed.next() == nil)
        for number in 0..<SyncLimits.waitingFiles { changed.take(try Self.version(number), of: "\(number)") }
        _ = (changed.add("one more"), changed.next())
        #expect(changed.takeVersion(of: "0") == nil)
    }
}
