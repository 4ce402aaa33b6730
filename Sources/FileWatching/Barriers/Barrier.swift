// A point in the stream of events that a question waits for.
// SPDX-License-Identifier: Apache-2.0

/// A point in the stream of events: everything that the kernel had queued when it was made. See
/// ``TreeWatcher/barrier(for:)``.
package struct Barrier: Sendable, Hashable, Comparable {
    /// The position in the stream, in bytes read since the start.
    let position: UInt64

    package static func < (a: Barrier, b: Barrier) -> Bool { a.position < b.position }
}
