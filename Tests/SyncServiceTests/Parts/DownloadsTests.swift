// Files that come, under events and answers of Syncthing in their order.
// SPDX-License-Identifier: Apache-2.0

import Syncthing
import Testing
import Varlink

@testable import SyncService

@Suite struct DownloadsTests {
    private let start = Downloads.Moment.now
    private var downloads = Downloads()

    private static func record(_ name: String, type: String = "FILE", deleted: Bool = false) throws -> FileRecord {
        let text = #"{"name": "\#(name)", "type": "\#(type)", "size": 7, "deleted": \#(deleted)}"#
        return try Array(text.utf8).withUnsafeBytes { bytes in
            try JSONReader.read(bytes) { (reader) throws(JSONError) in try FileRecord(from: &reader) }
        }
    }

    private static func noRoom(_ part: String) -> FolderError {
        FolderError(path: part, message: "write: no space left on device")
    }

    private func percent(_ part: String) -> Int64? { downloads.progress(of: part)?.percent }

    private mutating func take(_ done: Int64, of part: String) {
        downloads.take(progress: [part: TransferProgress(done: done, total: 100)])
    }

    @Test mutating func progressOfAVersionNeverFalls() throws {
        let other = ["b": TransferProgress(done: 1, total: 2)]
        var told: [Int64?] = []
        downloads.begin("a")
        told.append(percent("a"))
        for done: Int64 in [10, 40, 30, 80] {
            downloads.take(progress: other.merging(["a": TransferProgress(done: done, total: 100)]) { $1 })
            told.append(percent("a"))
        }
        // All blocks are here, and Syncthing tells of another file only.
        downloads.take(progress: other)
        told.append(percent("a"))
        downloads.finish("a", error: nil, at: start)
        told.append(percent("a"))
        // Its database has the version, and the list of the missing ones may be older.
        downloads.note(indexed: ["a"])
        downloads.doubt()
        downloads.take(missing: [], isHere: { _ in true })
        told.append(percent("a"))
        #expect(told == [nil, 10, 40, 40, 80, 80, 100, 100])
        #expect(downloads.takeDoubt() == true)
        downloads.take(missing: [], isHere: { _ in true })
        #expect(percent("a") == nil)
    }

    @Test mutating func aNewVersionBeginsAnew() {
        downloads.begin("a")
        take(90, of: "a")
        downloads.begin("a")
        #expect(percent("a") == nil && downloads.isUnderWay("a"))
        take(5, of: "a")
        #expect(percent("a") == 5)
        downloads.finish("a", error: "gone", at: start)
        #expect(percent("a") == nil && !downloads.isUnderWay("a") && downloads.error(of: "a") == "gone")
    }

    @Test mutating func anOldErrorIsNotThatOfAFileThatComes() {
        let told = ["a", "b"].map { FolderError(path: $0, message: "busy") }
        downloads.take(errors: told)
        downloads.begin("a")
        #expect(downloads.error(of: "a") == nil && downloads.error(of: "b") == "busy")
        // Syncthing tells the errors of the fetching before until this one ends.
        downloads.take(askedErrors: told)
        #expect(downloads.error(of: "a") == nil && downloads.error(of: "b") == "busy")
        downloads.finish("a", error: nil, at: start)
        downloads.take(askedErrors: told)
        #expect(downloads.error(of: "a") == nil)
        downloads.begin("a")
        downloads.finish("a", error: "again", at: start)
        downloads.take(askedErrors: told)
        #expect(downloads.error(of: "a") == "busy")
    }

    @Test mutating func errorsOfAnEventReplaceTheOthers() {
        downloads.begin("a")
        downloads.take(errors: [FolderError(path: "a", message: "1"), FolderError(path: "a", message: "2")])
        #expect(downloads.error(of: "a") == "2")
        downloads.take(errors: [])
        #expect(downloads.error(of: "a") == nil && downloads.parts.isEmpty)
    }

    @Test mutating func missingItemsHaveVersionsUnlessTheyAreHere() throws {
        let records = [
            try Self.record("new"), try Self.record("old"), try Self.record("gone", deleted: true),
            try Self.record("directory", type: "DIRECTORY"),
        ]
        downloads.take(missing: records, isHere: { $0 == "old" })
        #expect(downloads.parts == ["new", "old", "directory"])
        #expect(downloads.isMissing("old") && !downloads.isMissing("gone"))
        #expect(downloads.version("new") == AbsentItem(records[0]))
        #expect(downloads.version("old") == nil && downloads.version("directory") == nil)
        downloads.take(missing: [], isHere: { _ in false })
        #expect(downloads.parts.isEmpty && downloads.version("new") == nil)
    }

    @Test mutating func awaitedFilesAreUnderWayOrLackRoom() throws {
        let records = try ["a", "b", "c", "d", "here"].map { try Self.record($0) }
        downloads.take(missing: records, isHere: { $0 == "here" })
        downloads.begin("a")
        downloads.begin("here")
        downloads.take(progress: ["b": TransferProgress(done: 1, total: 2)])
        downloads.take(errors: [Self.noRoom("c"), FolderError(path: "d", message: "busy")])
        #expect(downloads.awaited == ["a", "b", "c"])
    }

    @Test mutating func eachAnswerEndsADoubt() {
        #expect(downloads.hasDoubts)
        #expect(downloads.takeDoubt() == true)
        #expect(downloads.hasDoubts)
        #expect(downloads.takeErrorDoubt() == true)
        #expect(!downloads.hasDoubts)
        #expect(downloads.takeDoubt() == false)
        #expect(downloads.takeErrorDoubt() == false)
        downloads.doubtErrors()
        #expect(downloads.takeDoubt() == false)
        #expect(downloads.takeErrorDoubt() == true)
    }

    @Test(arguments: [true, false]) mutating func theEndOfFetchingPutsErrorsInDoubtIfThereAreAny(hasError: Bool) {
        _ = (downloads.takeDoubt(), downloads.takeErrorDoubt())
        if hasError { downloads.take(errors: [Self.noRoom("a")]) }
        downloads.note(indexed: ["b"])
        #expect(downloads.takeErrorDoubt() == hasError)
        #expect(downloads.takeDoubt() == false)
        downloads.begin("b")
        downloads.noteIdle()
        #expect(!downloads.isStarted("b"))
        #expect(downloads.takeDoubt() == true)
        #expect(downloads.takeErrorDoubt() == hasError)
    }

    @Test mutating func lostEventsEndAllThatWasUnderWay() {
        _ = (downloads.takeDoubt(), downloads.takeErrorDoubt())
        downloads.begin("a")
        take(10, of: "a")
        downloads.lostEvents()
        #expect(!downloads.isUnderWay("a"))
        #expect(downloads.takeDoubt() == true)
        #expect(downloads.takeErrorDoubt() == true)
    }

    @Test mutating func anEvictedFileIsNotFetched() {
        downloads.begin("a")
        downloads.begin("b")
        downloads.note(evicted: "a")
        #expect(!downloads.isStarted("a") && downloads.isStarted("b"))
    }

    @Test mutating func oneTaskWaitsForRoom() {
        downloads.take(errors: [FolderError(path: "a", message: "busy")])
        #expect(downloads.beginAwaitingRoom() == false)
        downloads.take(errors: [Self.noRoom("a"), FolderError(path: "b", message: "insufficient space in folder f")])
        #expect(downloads.lackingRoom == ["a", "b"])
        #expect(downloads.beginAwaitingRoom() == true)
        #expect(downloads.beginAwaitingRoom() == false)
        downloads.endAwaitingRoom()
        #expect(downloads.beginAwaitingRoom() == true)
    }

    @Test mutating func triesThatBringNothingHaveLongerPauses() {
        downloads.take(errors: [Self.noRoom("a"), FolderError(path: "b", message: "busy")])
        var now = start + .seconds(9)
        let seconds = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600]
        for pause in seconds.map({ Duration.seconds($0) }) {
            downloads.take(errors: [Self.noRoom("a"), FolderError(path: "b", message: "busy")])
            downloads.tryWithRoom(at: now)
            #expect(downloads.lackingRoom.isEmpty && downloads.error(of: "b") == "busy")
            #expect(!downloads.mayTryWithRoom(at: now + pause - .nanoseconds(1)))
            now = now + pause
            #expect(downloads.mayTryWithRoom(at: now))
        }
        // Another file that comes says nothing.
        downloads.tryWithRoom(at: now)
        downloads.finish("b", error: nil, at: now)
        #expect(!downloads.mayTryWithRoom(at: now))
        downloads.take(errors: [Self.noRoom("a")])
        downloads.tryWithRoom(at: now)
        downloads.finish("a", error: nil, at: now)
        #expect(downloads.mayTryWithRoom(at: now))
    }
}
