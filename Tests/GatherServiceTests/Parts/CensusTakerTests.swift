// A caller sees the items of directories that it may list.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LiveQueries
import Metadata
import MetadataIndex
import NIOEmbedded
import NIOPosix
import Testing

@testable import GatherService

struct CensusTakerTests {
    private struct NothingAbove: AccessSource {
        func directoriesAbove(_ number: UInt32) -> [FileAccess]? { [] }
        func state(of number: UInt32) -> WatchState? { .live }
    }

    private static let caller = Credentials(user: 3_999_999_999, groups: [])
    private let workload: Workload

    init() {
        var limits = ServiceLimits()
        (limits.scansAtOnce, limits.scansPerUser) = (1, 1)
        workload = Workload(limits)
    }

    private func taker(rowsOnLoop: Int) -> CensusTaker {
        CensusTaker(
            access: AccessControl(tellsCallersApart: true, source: NothingAbove()),
            scans: ScanRunner(
                workload, pool: NIOThreadPool(numberOfThreads: 1), loop: EmbeddedEventLoop(), rowsOnLoop: rowsOnLoop,
                servesOthers: false), workload: workload)
    }

    private static func status(_ kind: FileKind, _ mode: UInt16) -> FileStatus {
        FileStatus(
            kind: kind, mode: mode, size: 0, created: nil, modified: Timestamp(nanoseconds: 0),
            changed: Timestamp(nanoseconds: 0), owner: 1, group: 1, links: 1, inode: 1, device: 1)
    }

    private func add(
        _ name: String, _ kind: FileKind, _ mode: UInt16 = 0o755, to parent: Row = .root, in record: ContainerRecord
    )
        throws -> Row
    {
        try Array(name.utf8).withUnsafeBytes {
            try record.index.insert(parent: parent, name: $0, status: Self.status(kind, mode))
        }
    }

    /// A container with an open directory, a closed one, and a file in each and beside them.
    private func record(mode: UInt16) throws -> ContainerRecord {
        let record = ContainerRecord(
            number: 1, configuration: try ContainerConfiguration(identifier: "a", path: "/none", origin: .runtime))
        _ = try record.index.update(.root, Self.status(.directory, mode))
        for (name, mode) in [("open", 0o755), ("closed", 0o700)] as [(String, UInt16)] {
            _ = try add("file", .file, to: try add(name, .directory, mode, in: record), in: record)
        }
        _ = try add("file", .file, in: record)
        _ = record.index.takeChanges()
        return record
    }

    private func census(_ records: [ContainerRecord]) -> [Census] {
        var told: [Census] = []
        taker(rowsOnLoop: .max).take(of: records, for: Self.caller, while: { true }) { told = $0 }
        return told
    }

    @Test func itemsBehindAClosedDirectoryAreNotCounted() throws {
        let census = census([try record(mode: 0o755), try record(mode: 0o700), try record(mode: 0o711)])
        // The two directories, and the files in the open one and beside them.
        #expect(census.map(\.items) == [4, 0, 1], "and one file of a directory that can be searched")
        #expect(census.map(\.directories) == [2, 0, 0])
        #expect(census.map(\.isComplete) == [false, false, false])
    }

    @Test func changesAreCountedAnew() throws {
        let record = try record(mode: 0o755)
        #expect(census([record]).map(\.items) == [4])
        #expect(census([record]).map(\.items) == [4])
        _ = try add("more", .directory, in: record)
        #expect(census([record]).map(\.items) == [5], "the change is not taken yet")
        _ = record.index.takeChanges()
        #expect(census([record]).map(\.directories) == [3])
    }

    @Test func aCallerThatIsGoneTakesNoTurn() throws {
        var told = 0
        taker(rowsOnLoop: 0).take(of: [try record(mode: 0o755)], for: Self.caller, while: { false }) { _ in told += 1 }
        var begun = false
        workload.turns(.shared).enter(user: Self.caller.user) { _ in begun = true }
        #expect(told == 0 && begun)
    }
}
