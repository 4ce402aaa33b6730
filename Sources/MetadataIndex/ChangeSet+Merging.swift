// Change sets joined into one.
// SPDX-License-Identifier: Apache-2.0

extension ChangeSet {
    /// Appends the set that was taken right after this one. Together they are the changes from the clock before the first
    /// to the clock after the second. A row that returned to its former state stays in. Complexity: O(changes of `later`);
    /// the first call also moves this set to a hash table, O(changes).
    package mutating func append(_ later: ChangeSet) {
        let firstHeld = formers.hold(allOf: later.formers)
        for change in later.changes { adopt(change, of: later.formers, firstHeld: firstHeld) }
        formers.keepLists(of: later.formers)
        clock = later.clock
    }
}
