// Rows of which events that were not read yet may say that they are another's.
// SPDX-License-Identifier: Apache-2.0

/// Rows whose files are uncertain until more of the stream is read.
struct UncertainRows {
    /// Rows in the tree: a look-up of theirs is newer than the event position.
    var provisional: ProvisionalRows
    /// Rows that have left the tree and may come again.
    var detached = DetachedRowEnds()

    /// - Parameter leastProvisional: see ``WatchLimits/leastProvisional``.
    init(leastProvisional: Int) { provisional = ProvisionalRows(least: leastProvisional) }
}
