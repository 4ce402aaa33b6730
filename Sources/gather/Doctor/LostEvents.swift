// Decides whether the kernel's event queue is too short.
// SPDX-License-Identifier: Apache-2.0

/// The judgement of overflows of the kernel's event queue. gatherd repairs each by a comparison.
enum LostEvents {
    /// The queue length that the package sets.
    static let usualQueue = 131_072
    /// The longest advised queue. An event takes about 100 bytes of the kernel's memory.
    static let longestQueue = 1 << 20

    /// Whether there were more overflows than days since the start of the daemon. `uptime` is in seconds. On the first
    /// day, each one counts.
    static func areMany(_ overflows: Int, uptime: Int?) -> Bool {
        overflows > (uptime.map { max(0, $0) / 86_400 } ?? 0)
    }
}
