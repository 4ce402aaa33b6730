// Known gaps: promises that the model checker does not hold Gather to yet, and why.
// SPDX-License-Identifier: Apache-2.0

/// The gaps that the model checker knows. The check of each is there, and runs once Gather has closed the gap.
enum KnownGaps {
    /// Identities and clocks go on when the daemon is started again.
    static let survivesRestarts = true
    /// Nothing is told as changed that is as it was. A pending change of a subscriber is known by its item and not by its
    /// values, so an item that was told of and has changed and changed back before the subscriber took the change is told
    /// once more. Only an entry below a directory that went and came back can have all of its values again: one that is
    /// renamed, linked or written itself has another time of change. So it is an update with the values that the subscriber
    /// has, harmless and rare; to leave it out, each pending item would have to keep what was told of it.
    static let tellsNoIdleChanges = false
    /// The items of a container that was unavailable come back with their identities.
    static let keepsUnavailableContainers = true
}
