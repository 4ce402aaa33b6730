// One helper tells the states of a container, and a state that it does not tell is gone.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import MetadataIndex
import Testing

@testable import GatherService

struct SyncSessionsTests {
    private final class Call: SyncCall {
        var onClose: (() -> Void)?
        var sessions: [SyncInterface.Attach.Reply] = []
        var errors: [String] = []

        func begin(_ session: SyncInterface.Attach.Reply) { sessions.append(session) }
        func end(_ error: SyncError) { errors.append("\(error)") }
    }

    private final class Owner: SyncSessions.Owner {
        let tree = IndexTree()
        var isClosed = false
        var clock = QueryClock(run: 7, sequence: 0, question: 0)
        var sessions: Int64 = 0
        var iterations = 0

        func makeSessionNumber() -> Int64 {
            sessions += 1
            return sessions
        }

        func absorb(_ record: ContainerRecord) {
            let before = record.index.clock
            _ = record.index.takeChanges()
            guard record.index.clock != before else { return }
            clock.sequence += 1
            record.history.noteChangeSet(at: clock.sequence)
        }

        func runIteration() { iterations += 1 }
    }

    private let owner = Owner()
    private let record: ContainerRecord
    private var sync: SyncSessions { SyncSessions(owner: owner) }

    init() throws {
        record = ContainerRecord(
            number: 1,
            configuration: try ContainerConfiguration(
                identifier: "a", path: "/none", sync: "syncthing", origin: .runtime))
        owner.tree.add(1, record.entry)
        _ = try add("here", inode: 5)
        owner.absorb(record)
    }

    /// Adds a file. One without an inode is on other devices only.
    private func add(_ name: String, inode: UInt64) throws -> Row {
        let status = FileStatus(
            kind: .file, mode: 0o644, size: 1, created: nil, modified: Timestamp(nanoseconds: 0),
            changed: Timestamp(nanoseconds: 0), owner: 1, group: 1, links: 1, inode: inode, device: 1)
        return try Array(name.utf8).withUnsafeBytes {
            try record.index.insert(parent: .root, name: $0, status: status)
        }
    }

    private func row(_ name: String) -> Row? { record.index.row(at: Array(name.utf8)) }

    private func session(_ call: Call) throws -> SyncSession {
        sync.begin(of: record, call)
        return try #require(record.sync)
    }

    private func report(
        _ items: [SyncItemMessage], through: String? = nil, _ session: SyncSession
    ) -> Int {
        sync.take(
            SyncInterface.Report.Request(session: session.number, items: items, through: through), of: record, session)
    }

    @Test func aLaterSessionEndsTheEarlierOne() throws {
        let calls = [Call(), Call()]
        let first = try session(calls[0])
        #expect(calls[0].sessions.map(\.session) == [1] && calls[0].errors.isEmpty && record.index.hasHelper)
        let second = try session(calls[1])
        #expect(first.number == 1 && second.number == 2)
        #expect(calls[0].errors.count == 1 && calls[0].onClose == nil && calls[1].errors.isEmpty)
        calls[1].onClose?()
        #expect(record.sync == nil && !record.index.hasHelper)
    }

    @Test func theEndOfADaemonChangesNoStates() throws {
        let call = Call()
        _ = try session(call)
        owner.isClosed = true
        let iterations = owner.iterations
        call.onClose?()
        #expect(record.sync == nil && record.index.hasHelper && owner.iterations == iterations)
    }

    @Test func aReportTellsWhatItChanges() throws {
        let session = try session(Call())
        let row = try #require(self.row("here"))
        let told = SyncItemMessage(path: "here", state: SyncStateMessage(shared: true, download: .downloaded))
        #expect(report([told], session) == 1)
        #expect(record.index.sync(of: row).standing == .shared && record.index.sync(of: row).download == .downloaded)
        #expect(report([told], session) == 0)
        #expect(report([SyncItemMessage(path: "nowhere", state: SyncStateMessage(shared: true))], session) == 0)
    }

    @Test func absentItemsThatAreNotToldEndWithTheFirstClock() throws {
        _ = try add("told", inode: 0)
        _ = try add("untold", inode: 0)
        owner.absorb(record)
        let session = try session(Call())
        let state = SyncStateMessage(shared: true, download: .notDownloaded)
        _ = report([SyncItemMessage(path: "told", state: state, size: 9, modified: 0)], session)
        #expect(row("untold") != nil, "the report covers no clock")
        let another = QueryClock(run: 8, sequence: owner.clock.sequence, question: 0)
        _ = report([], through: another.text, session)
        #expect(row("untold") != nil, "it is a clock of another run")
        _ = report([], through: owner.clock.text, session)
        #expect(row("untold") == nil && row("told") != nil && row("here") != nil)
    }

    @Test func anAbsentItemComesAndGoes() throws {
        let session = try session(Call())
        let state = SyncStateMessage(shared: true, download: .notDownloaded)
        #expect(report([SyncItemMessage(path: "new", state: state, size: 9, modified: 3)], session) == 1)
        let row = try #require(self.row("new"))
        #expect(IndexTree.isAbsent(row, in: record.index) && record.index.ownStatus(of: row).size == 9)
        let told = sync.reportedStates(of: record, from: nil)
        #expect(told.items.map(\.path) == ["new"] && told.items.first?.size == 9 && told.next == nil)
        #expect(report([SyncItemMessage(path: "new")], session) == 1)
        #expect(self.row("new") == nil)
    }
}
