// What is kept for the next start is of use to a daemon that would see the same.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import MetadataIndex
import NIOCore
import Synchronization
import Testing

@testable import GatherService

struct KeptStateTests {
    // Else a longer queue would come with a stop alone: an instance keeps the length that it was made with.
    @Test func `A queue of another length is made anew by a restart`() {
        let kept = KeptState.fingerprint(readsAccessLists: true, queueLimit: "16384\n")
        #expect(KeptState.fingerprint(readsAccessLists: true, queueLimit: "16384\n") == kept)
        #expect(KeptState.fingerprint(readsAccessLists: true, queueLimit: "131072\n") != kept)
        #expect(KeptState.fingerprint(readsAccessLists: false, queueLimit: "16384\n") != kept)
    }

    // The journal ends before what it would go on from.
    @Test func `While changes cannot be saved the next start has nothing to go on with`() async throws {
        let directory = try TemporaryDirectory()
        let memory = Mutex<CInt>(-1)
        let keep: @Sendable ([KeptDescriptor]) -> Void = { kept in
            let number = kept.first { $0.name.hasPrefix(KeptDescriptor.namePrefix + "memory-") }?.number ?? -1
            memory.withLock { $0 = fcntl(number, F_DUPFD_CLOEXEC, 3) }
        }
        let queueLimit = try withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let file = try Entry.openForReading("/proc/sys/fs/inotify/max_queued_events")
            return String(decoding: buffer[..<(try file.read(into: buffer))], as: UTF8.self)
        }
        var limits = ServiceLimits()
        // Room for a moment, and no second try.
        (limits.largestJournal, limits.saveAgainAfter) = (16 << 10, .hours(1))
        try await DaemonFixture.run(directory: directory, limits: limits, keep: keep) { daemon in
            let number = memory.withLock { $0 }
            #expect(number >= 0)
            /// Whether what is there would be taken for the end of a journal of this run, wherever that is.
            func isOfUse() async throws -> Bool {
                try await daemon.flush()
                let kept = try KeptMemory(adopting: Descriptor(owning: fcntl(number, F_DUPFD_CLOEXEC, 3)))
                let files = SavedStateFiles(stateDirectory: directory.path + "/state")
                var loaded = SavedState()
                for name in files.list().segments.map(\.name) {
                    guard let bytes = try? files.read(name, limit: 1 << 20) else { continue }
                    loaded.lastRun = try bytes.withUnsafeBytes { try JournalReader($0).header.run }
                }
                let fingerprint = KeptState.fingerprint(readsAccessLists: false, queueLimit: queueLimit)
                return (0..<20_000).contains {
                    (try? kept.start(run: loaded.lastRun, sequence: $0, fingerprint: fingerprint)) != nil
                }
            }
            try directory.write("", to: "tree/first")
            let saved = try await isOfUse()
            #expect(saved)
            // Nor can another segment be begun.
            let last = SavedStateFiles(stateDirectory: directory.path + "/state").list().segments.last?.number ?? 0
            try directory.makeDirectory("state/saved/" + SavedStateFiles.journalName(last + 1))
            for number in 0..<600 { try directory.write("", to: "tree/a file with a longer name \(number)") }
            try await daemon.flush()
            let unsaved = try await isOfUse()
            #expect(!unsaved)
            try directory.write("", to: "tree/last")
            let unsavedStill = try await isOfUse()
            #expect(!unsavedStill)
        }
        close(memory.withLock { $0 })
    }
}
