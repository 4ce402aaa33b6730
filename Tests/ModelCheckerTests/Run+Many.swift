// A great many subscribers that leave at once: the daemon's memory for them goes with them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport

extension Run {
    /// The bytes that a subscriber may leave behind: a buffer of its connection alone would be more.
    private static let leftOfOne = 1_024
    /// The uncertainty of a process's memory, in bytes. It includes the growth of the index and the journal.
    private static let leftOfAll = 16 << 20
    /// Descriptors of the checker itself.
    private static let otherDescriptors = 256

    /// Whether this process may have so many connections; as many as it may have at all are allowed it from now on.
    static func canHave(connections: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_max) >= connections + otherDescriptors
    }

    /// Notes the memory before any subscriber has come.
    func noteMemory() throws {
        _ = try call("Query.Flush")
        bytesAtFirst = daemon.residentBytes
    }

    /// Everybody leaves, comes anew and leaves again: nothing of them is left, in the counters and in memory.
    func vanish() throws {
        var bytes = [bytesAtFirst, daemon.residentBytes]
        bytes.append(try leave())
        for subscriber in subscribers {
            subscriber.forget()
            try subscriber.connect(daemon.socket)
        }
        try settleSubscribers()
        try awaitSubscribers(subscribers.count)
        bytes.append(daemon.residentBytes)
        bytes.append(try leave())
        let megabytes = bytes.map { String(format: "%.1f", Double($0) / 1e6) }.joined(separator: ", ")
        figures = ", \(subscribers.count) connections: MB before, with and without them, twice: \(megabytes)"
    }

    /// All leave without a word. Returns the daemon's memory when it has let go of what was theirs.
    private func leave() throws -> Int {
        for subscriber in subscribers { subscriber.disconnect() }
        try awaitSubscribers(0)
        let atMost = bytesAtFirst + Run.leftOfAll + subscribers.count * Run.leftOfOne
        let patience = Patience()
        while daemon.residentBytes > atMost {
            if patience.isOver {
                throw Violation(
                    "all are gone for \(Patience.seconds) s, and of \(subscribers.count) subscribers there is left: "
                        + "\(daemon.residentBytes) bytes, \(bytesAtFirst) before they came")
            }
            // A question is the time between two looks.
            _ = try call("Service.Status")
        }
        return daemon.residentBytes
    }

    /// Waits until the daemon has seen that so many, and no others but the one that asks, are there.
    private func awaitSubscribers(_ count: Int) throws {
        let patience = Patience()
        while true {
            let status = try call("Service.Status")
            if status["connections"] as? Int == count + 1, status["liveQueries"] as? Int == count { return }
            if patience.isOver {
                throw Violation(
                    "\(count) are there for \(Patience.seconds) s, but Status says \(status["connections"] ?? "nothing") connections, "
                        + "\(status["liveQueries"] ?? "nothing") live queries")
            }
        }
    }
}
