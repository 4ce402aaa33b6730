// When a queue that overflowed is too short.
// SPDX-License-Identifier: Apache-2.0

/// What is made of overflows of the kernel's queue, which gatherd makes good by comparing.
enum LostEvents {
    /// The length that the package gives the queue.
    static let usualQueue = 131_072
    /// A longer one is not advised: the kernel's memory for it is nobody's, and some 100 bytes an event.
    static let longestQueue = 1 << 20

    /// Whether they are more than the days since the start of the daemon, given in seconds: on its first day each counts, and
    /// what came once is forgotten after that.
    static func areMany(_ overflows: Int, uptime: Int?) -> Bool {
        overflows > (uptime.map { max(0, $0) / 86_400 } ?? 0)
    }
}
