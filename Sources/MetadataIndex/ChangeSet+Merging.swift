// Change sets joined into one.
// SPDX-License-Identifier: Apache-2.0

extension ChangeSet {
    /// Goes on with the set that was taken right after this one: together they are what changed from the clock before the
    /// one to the clock after the other. What is again as it was stays in. Complexity: O(changes of the other), and
    /// the first time O(changes) of this one, which goes over to a table of its own.
    package mutating func append(_ later: ChangeSet) {
        let firstHeld = formers.hold(allOf: later.formers)
        for change in later.changes { adopt(change, of: later.formers, firstHeld: firstHeld) }
        formers.keepLists(of: later.formers)
        clock = later.clock
    }
}
