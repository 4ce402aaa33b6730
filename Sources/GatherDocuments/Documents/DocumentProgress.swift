// The progress of downloading, loading or saving a document.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The progress of downloading, loading or saving a document, in bytes. It may be read from any thread.
public final class DocumentProgress: Sendable {
    private let done = Atomic<Int>(0)
    private let all = Atomic<Int>(0)

    /// The number of bytes read or written so far.
    public var completed: Int { done.load(ordering: .relaxed) }
    /// The number of bytes in all; 0 before it is known.
    public var total: Int { all.load(ordering: .relaxed) }
    /// The part that is done, from 0 to 1; 0 before the total is known.
    public var fraction: Double {
        let total = total
        return total == 0 ? 0 : min(1, Double(completed) / Double(total))
    }

    init() {}

    func begin(_ total: Int) { report(0, of: total) }

    func report(_ count: Int, of total: Int) {
        done.store(count, ordering: .relaxed)
        all.store(total, ordering: .relaxed)
    }

    func advance(_ count: Int) { done.wrappingAdd(count, ordering: .relaxed) }
}
