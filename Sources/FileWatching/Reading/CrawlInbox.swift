// Results of the crawling threads that are not applied yet.
// SPDX-License-Identifier: Apache-2.0

/// Results of the crawling threads, in order.
///
/// They are applied when the stream of events was read to where it was when they were taken: then whatever moved before a directory
/// was read has been heard of.
struct CrawlInbox {
    private var results: [CrawlResult] = []
    /// Results before this were applied.
    private var next = 0
    /// The place in the stream that they wait for.
    private(set) var position: UInt64 = 0
    /// How far the first result was taken, if it is large.
    var slices: DirectorySlices?
    /// The entries of those that were applied since the threads were told.
    private(set) var processed = 0

    var count: Int { results.count - next }
    var isEmpty: Bool { next == results.count }

    /// Takes the results of the threads, where nothing waits. `take` is given how many entries were applied since the
    /// last time. `position` is evaluated if there is something.
    mutating func fill(position: @autoclosure () -> UInt64, _ take: (Int) -> [CrawlResult]) {
        guard isEmpty else { return }
        results = take(processed)
        (next, processed) = (0, 0)
        if !results.isEmpty { self.position = position() }
    }

    /// The result that is applied next; nil for none.
    var first: CrawlResult? { isEmpty ? nil : results[next] }

    /// The first result is being applied, and let go of by this.
    mutating func removeFirst() {
        guard !isEmpty else { return }
        processed += results[next].batch.weight
        results[next] = CrawlResult(ticket: 0, task: 0, round: 0)
        next += 1
    }

    mutating func removeAll() { (results, next) = ([], 0) }
}
