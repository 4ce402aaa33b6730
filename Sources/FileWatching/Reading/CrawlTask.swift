// A crawl or a comparison under way.
// SPDX-License-Identifier: Apache-2.0

/// A crawl or a comparison under way.
struct CrawlTask {
    /// One that was begun in an iteration: of which container, and whether an event has named its directories.
    struct OfIteration: Hashable {
        var container: UInt32
        var isReported: Bool
    }

    /// The object, not its number: another container may get the number while results are on their way.
    let container: WatchedContainer
    /// The position in the stream of events that caused it, for barriers.
    var position: UInt64
    /// Directories still to be read.
    var outstanding = 0
}
