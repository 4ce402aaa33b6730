// Whether the watches that were kept are those that are known, asked of a kernel that does not always tell.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import NIOCore
import Synchronization
import Testing

@testable import GatherService

struct WatchCheckTests {
    /// The daemon's descriptors, kept while it is started again.
    private final class Store: Sendable {
        private let kept = Mutex<[StoredDescriptor]>([])

        func keep(_ descriptors: [StoredDescriptor]) {
            kept.withLock { kept in
                kept = descriptors.map {
                    StoredDescriptor(name: $0.name, number: fcntl($0.number, F_DUPFD_CLOEXEC, 3))
                }
            }
        }

        /// Hands them over.
        func take() -> [StoredDescriptor] {
            kept.withLock { kept in
                defer { kept = [] }
                return kept
            }
        }
    }

    /// Starts a daemon anew with what was kept, on a kernel that tells its watches the time after `silences`, and then one too
    /// few. Returns how often it was asked when `line` was logged.
    private func start(silences: Int, until line: (String) -> Bool) async throws -> (asked: Int, log: [String]) {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        for number in 0..<3 { try directory.makeDirectory("tree/d\(number)") }
        let store = Store()
        try await DaemonFixture.run(directory: directory, keep: { store.keep($0) }) { try await $0.flush() }
        let asked = Mutex(0)
        let log = LogRecorder()
        var limits = ServiceLimits()
        limits.watchesCheckedAfter = .milliseconds(1)
        try await DaemonFixture.run(
            directory: directory, limits: limits, keep: { _ in }, log: log,
            adjust: { options in
                options.storedDescriptors = store.take()
                #expect(options.storedDescriptors.count == 2)
                options.askForWatches = { kernel in
                    let isSilent = asked.withLock { asked in
                        asked += 1
                        return asked <= silences
                    }
                    guard !isSilent, var found = kernel.watches(), let last = found.keys.max() else { return nil }
                    found[last] = nil
                    return found
                }
            }
        ) { daemon in
            for await logged in log.stream where line(logged) { break }
            // It is served all the same.
            try directory.write("", to: "tree/d1/new")
            #expect(try await daemon.find("name == 'new'") == ["d1/new"])
        }
        return (asked.withLock { $0 }, log.all)
    }

    @Test func `A kernel that does not tell its watches is asked again`() async throws {
        for silences in [0, 1, Limits.watchChecks - 1] {
            let (asked, log) = try await start(silences: silences) { $0.contains("had no watch any more") }
            #expect(asked == silences + 1)
            #expect(log.count == 1, "\(log)")
        }
    }

    @Test func `One that never tells is asked so many times, and that is said once`() async throws {
        let (asked, log) = try await start(silences: .max) { $0.contains("the kept watches were not checked") }
        #expect(asked == Limits.watchChecks)
        #expect(log.count == 1, "\(log)")
    }
}
