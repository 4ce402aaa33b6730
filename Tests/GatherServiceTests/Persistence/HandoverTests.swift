// The state kept for the next start is of use to a daemon that would see the same.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Logging
import MetadataIndex
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import GatherService

struct HandoverTests {
    // Else a longer queue would come with a stop alone: an instance keeps the length that it was made with.
    @Test func `A queue of another length is made anew by a restart`() {
        let kept = Handover.fingerprint(readsAccessLists: true, queueLimit: "16384\n")
        #expect(Handover.fingerprint(readsAccessLists: true, queueLimit: "16384\n") == kept)
        #expect(Handover.fingerprint(readsAccessLists: true, queueLimit: "131072\n") != kept)
        #expect(Handover.fingerprint(readsAccessLists: false, queueLimit: "16384\n") != kept)
    }

    /// The memory that a daemon keeps, as the next process would be given it.
    private final class StoredMemory: Sendable {
        private let memory = Mutex<CInt>(-1)
        private let queueLimit: String

        init() throws {
            queueLimit = try withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
                let file = try Entry.openForReading("/proc/sys/fs/inotify/max_queued_events")
                return String(decoding: buffer[..<(try file.read(into: buffer))], as: UTF8.self)
            }
        }

        deinit { close(number) }

        private var number: CInt { memory.withLock { $0 } }

        func keep(_ kept: [StoredDescriptor]) {
            let number = kept.first { $0.name.hasPrefix(StoredDescriptor.namePrefix + "memory-") }?.number ?? -1
            memory.withLock { $0 = fcntl(number, F_DUPFD_CLOEXEC, 3) }
        }

        /// Whether it would be taken for the end of a journal of this run, wherever that is.
        func isOfUse(_ directory: TemporaryDirectory) throws -> Bool {
            #expect(number >= 0)
            let kept = try HandoverMemory(adopting: Descriptor(owning: fcntl(number, F_DUPFD_CLOEXEC, 3)))
            let files = PersistentFiles(stateDirectory: directory.path + "/state")
            var loaded = RecoveredState()
            for name in files.list().segments.map(\.name) {
                guard let bytes = try? files.read(name, limit: 1 << 20) else { continue }
                loaded.lastRun = try bytes.withUnsafeBytes { try JournalReader($0).header.run }
            }
            let fingerprint = Handover.fingerprint(readsAccessLists: false, queueLimit: queueLimit)
            return (0..<20_000).contains {
                (try? kept.start(run: loaded.lastRun, sequence: $0, fingerprint: fingerprint)) != nil
            }
        }
    }

    // The journal ends before what it would go on from.
    @Test func `While changes cannot be saved the next start has nothing to go on with`() async throws {
        let directory = try TemporaryDirectory()
        let kept = try StoredMemory()
        var limits = ServiceLimits()
        // Room for a moment, and no second try.
        (limits.largestJournal, limits.saveAgainAfter) = (16 << 10, .hours(1))
        try await DaemonFixture.run(directory: directory, limits: limits, keep: kept.keep) { daemon in
            try directory.write("", to: "tree/first")
            try await daemon.flush()
            let saved = try kept.isOfUse(directory)
            #expect(saved)
            // Nor can another segment be begun.
            let last = PersistentFiles(stateDirectory: directory.path + "/state").list().segments.last?.number ?? 0
            try directory.makeDirectory("state/saved/" + PersistentFiles.journalName(last + 1))
            for number in 0..<600 { try directory.write("", to: "tree/a file with a longer name \(number)") }
            try await daemon.flush()
            let unsaved = try kept.isOfUse(directory)
            #expect(!unsaved)
            try directory.write("", to: "tree/last")
            try await daemon.flush()
            let unsavedStill = try kept.isOfUse(directory)
            #expect(!unsavedStill)
        }
    }

    // As when a scan for a live query comes back while the daemon ends.
    @Test func `A scan that comes back after the end leaves the kept state as it is`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/file")
        let kept = try StoredMemory()
        let options = DaemonOptions(
            configurationFile: nil, configurationIsRequired: false, socket: .embedded,
            stateDirectory: directory.path + "/state",
            containers: [
                try ContainerConfiguration(identifier: "tree", path: directory.path + "/tree", origin: .argument)
            ])
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let core = try await loop.submit {
            let core = try DaemonCore(
                options: options, observer: DaemonFixture.ReadyObserver(keep: kept.keep),
                logger: Logger(label: "test"), loop: loop)
            return NIOLoopBound(core, eventLoop: loop)
        }.get()
        while try !kept.isOfUse(directory) { await Task.yield() }
        try await loop.flatSubmit {
            let closed = core.value.close()
            core.value.engine.containers.forEach(core.value.engine.absorb)
            return closed
        }.get()
        #expect(try kept.isOfUse(directory))
    }
}
