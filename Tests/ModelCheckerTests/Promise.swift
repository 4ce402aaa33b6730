// What the model checker does not hold Gather to yet, and why.
// SPDX-License-Identifier: Apache-2.0

/// What Gather does not promise yet, each to go when it does: the checks are there.
enum Promise {
    /// Identities and clocks go on when the daemon is started again.
    static let survivesRestarts = true
    /// An exchange keeps both identities, and what lies below, whatever follows it. The four events of `mv a b; mv b a` are the
    /// same; what is told of b next tells which it was, or a look does. Promised is that where the four are read at once
    /// with nothing between them, and both directories are known where they lie; a row that an earlier read has left out
    /// of date, or other programs' events between, leave the inodes alone to tell, and a name that is as it was left. Then
    /// each of the two, and what lies below it, has an identity that one of the two had, or a new one; sets are right in any
    /// case. With the checks on, one run of thirty finds that.
    static let knowsExchanges = false
    /// Nothing is told as changed that is as it was. What is pending for a subscriber is known by its item and not by its
    /// values, so an item that was told of and has changed and changed back before the subscriber took the change is told
    /// once more. Only what lies below a directory that went and came back can have all of its values again: whatever is
    /// renamed, linked or written itself has another time of change. So it is an update with the values that the subscriber
    /// has, harmless and rare; to leave it out, each pending item would have to keep what was told of it.
    static let tellsNoIdleChanges = false
    /// Identities are as exact where a restart was heard of afterwards, with the descriptors that were kept, as where everything
    /// is heard as it happens. What was queued over some time is heard at once, when nothing is as it was, and a row that many
    /// renames have crossed may be taken for another; one run of twenty finds that, as it does where the daemon is stopped for
    /// a while. Sets and clocks are right in any case, and those identities that a comparison too is sure of.
    static let knowsMovesOfLongAgo = false
    /// The items of a container that was unavailable come back with their identities.
    static let parksContainers = true
}
