// The lines of the log that a container has had.
// SPDX-License-Identifier: Apache-2.0

/// Remembers which lines of the log a container has had, where the next one depends on that.
struct LoggedLines {
    /// How many unreadable directories of one container are named.
    static var unreadableNamed: Int { 20 }

    /// Whether a line has told how the container began.
    private(set) var hasBegun = false
    private var unreadable = 0

    /// Notes a line about the container. Returns whether it is the first.
    mutating func noteLine() -> Bool {
        defer { hasBegun = true }
        return !hasBegun
    }

    /// Counts a directory that cannot be read. Returns whether it is the last one that is named in the log; nil if it is not named.
    mutating func noteUnreadable() -> Bool? {
        unreadable += 1
        return unreadable <= Self.unreadableNamed ? unreadable == Self.unreadableNamed : nil
    }
}
