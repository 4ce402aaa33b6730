// The time from a key that is set to its merging in another process.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments
import Glibc

/// Two processes on one key-value store, for `Tests/Benchmarks/keys.py`. The value of the key is the time when it was set.
enum KeyTimes {
    private static let key = "time"

    /// The time of the machine's clock that all processes share, in nanoseconds.
    private static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// Sets the key once for each line of the standard input.
    static func set(_ directory: String, socket: String) async throws {
        let store = try await KeyValueStore(directory: FilePath(directory), followingThrough: .at(path: socket))
        while readLine() != nil {
            try store.set(.integer(now), forKey: key)
            try await store.synchronize()
        }
        try await store.close()
    }

    /// Prints `open`, and then the age of each value in nanoseconds, as soon as it is merged.
    static func follow(_ directory: String, socket: String) async throws {
        let store = try await KeyValueStore(directory: FilePath(directory), followingThrough: .at(path: socket))
        say("open")
        for await change in store.changes where change.keys.contains(key) {
            if let time = store.integer(forKey: key) { say("\(now - time)") }
        }
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
