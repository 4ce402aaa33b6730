// Indexes are saved once they were read, and again after a failure.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Logging
import Metadata
import MetadataIndex
import NIOCore
import NIOPosix
import Testing

@testable import GatherService

struct CheckpointerTests {
    /// Containers, with a checkpointer for them. On the loop.
    private final class Owner: Checkpointer.Owner {
        var containers = ContainerSet()
        var sequence: UInt64 = 1
        var states: [String: WatchState] = [:]
        var failures = 0
        var recoveries = 0
        let checkpointer: Checkpointer
        let store: PersistentStore
        /// Called at the end of a save.
        var ended: () -> Void = {}

        init(_ files: PersistentFiles?, loop: any EventLoop, _ identifiers: [String]) throws {
            var limits = ServiceLimits()
            limits.saveAgainAfter = .milliseconds(1)
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            store = PersistentStore(
                files, RecoveredState(), boot: PersistentStore.currentBoot, loop: loop, logger: logger, limits: limits)
            let marks = ContainerMarks(in: nil, loop: loop, logger: logger)
            checkpointer = Checkpointer(store, marks, interval: .hours(1), limits: limits, loop: loop)
            for identifier in identifiers {
                let configuration = try ContainerConfiguration(
                    identifier: identifier, path: "/none/" + identifier, origin: .runtime)
                containers.insert(ContainerRecord(number: containers.makeNumber(), configuration: configuration))
            }
        }

        deinit { store.abandon() }

        func state(of record: ContainerRecord) -> WatchState { states[record.identifier] ?? .crawling }
        func isMountPoint(_ record: ContainerRecord) -> Bool { false }
        func ancestorAccess(of record: ContainerRecord) -> [UInt8] { [] }
        func checkpointIsDue() { checkpointer.saveIfDue(self) }
        func checkpointEnded() { ended() }
        func persistenceFailed(_ error: SystemError) { failures += 1 }
        func persistenceRestored() { recoveries += 1 }
    }

    private func files(_ directory: TemporaryDirectory) throws -> PersistentFiles {
        for name in ["state", "state/saved"] { try directory.makeDirectory(name) }
        return PersistentFiles(stateDirectory: directory.path + "/state")
    }

    /// Has the loop do something with an owner until a save has ended. Returns the numbers of saved and failed indexes, and of
    /// failures and recoveries told.
    private func save(
        _ files: PersistentFiles?, _ identifiers: [String], _ work: @escaping @Sendable (Owner) -> Void,
        until isEnough: @escaping @Sendable (Owner) -> Bool = { _ in true }
    ) async throws -> [Int] {
        let loop = NIOSingletons.posixEventLoopGroup.any()
        return try await loop.flatSubmit {
            let promise = loop.makePromise(of: [Int].self)
            do {
                let owner = try Owner(files, loop: loop, identifiers)
                owner.ended = { [unowned owner] in
                    guard isEnough(owner) else { return owner.checkpointIsDue() }
                    let checkpointer = owner.checkpointer
                    promise.succeed(
                        [Int(checkpointer.saved), Int(checkpointer.failed), owner.failures, owner.recoveries])
                }
                work(owner)
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }.get()
    }

    @Test func containersAreSavedOnceTheyWereRead() async throws {
        let directory = try TemporaryDirectory()
        let counts = try await save(try files(directory), ["a", "b", "c"]) { owner in
            owner.states = ["a": .live, "b": .degraded(reason: "polled")]
            owner.checkpointer.saveIfDue(owner)
            // A save is under way.
            owner.checkpointer.saveIfDue(owner)
        }
        #expect(counts == [2, 0, 0, 0])
    }

    @Test func theEndSavesWhatTheJournalDoesNotHave() async throws {
        let directory = try TemporaryDirectory()
        let counts = try await save(try files(directory), ["a", "b"]) { owner in
            for record in owner.containers { record.snapshotMark.noteRead() }
            owner.containers.named("b").map { _ = $0.snapshotMark.beginSnapshot() }
            owner.checkpointer.close(owner)
        }
        #expect(counts == [1, 0, 0, 0])
    }

    /// An index is written into the directory, and a directory of that name is in its way.
    @Test func afterAFailureItIsTriedAgain() async throws {
        let directory = try TemporaryDirectory()
        let files = try files(directory)
        let obstacle = files.path(PersistentFiles.indexName("a"))
        for name in [obstacle, obstacle + "/below"] {
            try directory.makeDirectory(String(name.dropFirst(directory.path.count + 1)))
        }
        let counts = try await save(files, ["a"]) { owner in
            owner.states = ["a": .live]
            owner.checkpointer.saveIfDue(owner)
        } until: { owner in
            if owner.checkpointer.saved > 0 { return true }
            _ = rmdir(obstacle + "/below") + rmdir(obstacle)
            return false
        }
        #expect(counts == [1, 1, 1, 1])
    }
}
