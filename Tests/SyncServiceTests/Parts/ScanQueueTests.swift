// Changes of a folder, and how they get into Syncthing's database.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import SyncService

@Suite struct ScanQueueTests {
    private let file = FeedChange.file(size: 1, modified: Timestamp(nanoseconds: 1))
    private let directory = FeedChange.directory(changed: nil)
    private let start = ScanQueue.Moment.now
    private var scans = ScanQueue()

    /// A queue whose first scan, that of the whole folder, has ended at a number of the feed.
    init() throws {
        let first = try begin(at: 1)
        #expect(first.parts == nil && first.paths.isEmpty && first.through == 1)
        scans.end(first)
    }

    private mutating func begin(at sequence: Int) throws -> ScanQueue.Scan {
        let scan = scans.begin(at: sequence)
        return try #require(scan)
    }

    private mutating func compared(after time: Duration = .zero, writing: Set<String> = []) -> Set<String> {
        Set(scans.beginVerifying(at: start + time) { writing.contains($0) }.changes.keys)
    }

    @Test mutating func theFirstScanIsOfTheWholeFolder() throws {
        scans = ScanQueue()
        #expect(scans.isUnsettled && scans.confirmed(of: 5) == 0)
        scans.add(["a"])
        let scan = try begin(at: 3)
        #expect(scan.parts == nil && scan.paths == ["a"] && scans.isUnsettled)
        scans.end(scan)
        #expect(!scans.isUnsettled && scans.confirmed(of: 5) == 5)
        #expect(scans.begin(at: 6) == nil)
        scans.addAll()
        #expect(scans.isUnsettled && scans.begin(at: 6)?.parts == .some(nil))
    }

    @Test mutating func changesDuringAScanGoIntoTheNext() throws {
        #expect(scans.add("a", file) == true)
        let scan = try begin(at: 2)
        #expect(scan.parts == ["a"])
        #expect(scans.add("b", file) == true)
        #expect(scans.begin(at: 3) == nil, "one scan at a time")
        #expect(scans.confirmed(of: 3) == 1)
        scans.end(scan)
        #expect(scans.confirmed(of: 3) == 2, "b is not in the database")
        let next = try begin(at: 3)
        #expect(next.parts == ["b"] && next.paths == ["b"])
        scans.end(next)
        #expect(scans.confirmed(of: 4) == 4)
    }

    @Test mutating func theNumberNeverFalls() throws {
        _ = scans.add("a", file)
        let late = try begin(at: 7)
        scans.end(late)
        _ = scans.add("b", file)
        let early = try begin(at: 3)
        scans.end(early)
        _ = scans.add("c", file)
        #expect(scans.confirmed(of: 9) == 7)
    }

    @Test mutating func aFileThatSyncthingWroteIsComparedAndNotScanned() throws {
        scans.note(ownWrite: "a", at: start)
        #expect(scans.add("a", file) == false)
        #expect(scans.begin(at: 2) == nil && scans.confirmed(of: 2) == 1)
        #expect(compared() == ["a"])
        scans.endVerifying(["a": file], unknown: [:])
        #expect(scans.begin(at: 2) == nil && scans.confirmed(of: 2) == 2)
        #expect(scans.add("a", file) == true, "its next change is one of a program")
    }

    @Test mutating func aChangeThatTheDatabaseDoesNotHaveIsScanned() {
        scans.note(ownWrite: "a", at: start)
        _ = scans.add("a", file)
        #expect(compared() == ["a"] && compared().isEmpty, "one comparison at a time")
        scans.endVerifying(["a": file], unknown: ["a": file])
        #expect(scans.begin(at: 2)?.parts == ["a"])
    }

    @Test mutating func aFileThatChangesDuringTheComparisonIsComparedAgain() {
        scans.note(ownWrite: "a", at: start)
        _ = scans.add("a", file)
        #expect(compared() == ["a"])
        #expect(scans.add("a", .removed) == false)
        scans.endVerifying(["a": file], unknown: [:])
        #expect(scans.confirmed(of: 2) == 1)
        #expect(scans.beginVerifying(at: start) { _ in false }.changes == ["a": .removed])
    }

    @Test mutating func aFileThatIsBeingWrittenWaitsForTheDatabase() {
        scans.note(ownWrite: "a", at: start)
        _ = scans.add("a", file)
        #expect(compared(after: SyncLimits.ownWriteTime, writing: ["a"]).isEmpty)
        #expect(compared(after: SyncLimits.ownWriteTime + .milliseconds(1), writing: ["a"]) == ["a"])
    }

    @Test mutating func aDirectoryIsComparedUnlessItWasRemovedJustNow() throws {
        #expect(scans.add("new", directory) == false)
        #expect(scans.add("again", .removed) == true)
        #expect(scans.add("again", directory) == true)
        let scan = try begin(at: 2)
        #expect(scan.paths == ["again"] && scan.through == 1, "the new directory is not compared yet")
        #expect(scans.add("again", directory) == true, "until the scan has ended, the database has the former one")
        scans.end(scan)
        #expect(compared() == ["new"])
    }

    @Test mutating func tooManyFilesAreScannedAndDirectoriesCompared() throws {
        let files = (0...SyncLimits.comparedPaths).map { "f\($0)" }
        for part in files {
            scans.note(ownWrite: part, at: start)
            _ = scans.add(part, file)
        }
        _ = scans.add("d", directory)
        let (changes, isScanDue) = scans.beginVerifying(at: start) { _ in false }
        #expect(changes == ["d": directory] && isScanDue)
        let scan = try begin(at: 2)
        #expect(scan.paths == Set(files))
    }

    @Test mutating func ownWritesAreBounded() {
        for number in 0..<SyncLimits.ownWrites { scans.note(ownWrite: "\(number)", at: start) }
        #expect(scans.add("0", file) == false)
        scans.note(ownWrite: "one more", at: start)
        #expect(scans.add("1", file) && !scans.add("one more", file))
    }

    @Test mutating func scansCanBeHeldBack() throws {
        #expect(scans.hold() == true)
        _ = scans.add("a", file)
        #expect(scans.begin(at: 2) == nil && scans.isUnsettled)
        scans.release()
        _ = try begin(at: 2)
        #expect(scans.hold() == false, "a scan runs")
    }
}
