// Updates of live queries that wait until their container is verified.
// SPDX-License-Identifier: Apache-2.0

/// Keeps the updates of live queries that wait while the changes of a container are held (``IndexTree/Entry/isHeld``).
struct HeldUpdates<Update> {
    /// Background updates of live queries that came back meanwhile.
    private var updates: [Update] = []
    /// Whether the subscriber of a suspended live query began to read meanwhile.
    private var hasReader = false
    /// Whether access rights, or the names of accounts, have changed meanwhile.
    private(set) var owesLook = false

    mutating func add(_ update: Update) { updates.append(update) }

    /// Returns the background updates, which are to be finished now.
    mutating func takeBackgroundUpdates() -> [Update] {
        defer { updates = [] }
        return updates
    }

    /// Notes that the subscriber of a suspended live query reads.
    mutating func noteReader() { hasReader = true }

    /// Returns whether the suspended live queries with subscribers that read are to be brought back now.
    mutating func takeReader() -> Bool {
        defer { hasReader = false }
        return hasReader
    }

    /// Notes that live queries are to be brought to the present view of their callers. Returns false if that has to
    /// wait.
    mutating func look(isHeld: Bool) -> Bool {
        owesLook = isHeld
        return !isHeld
    }
}
