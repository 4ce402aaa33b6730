// Live queries that wait for plans, by user.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Live queries that wait for plans. All of them are to have one at once, which may take seconds: a few are planned on the event
/// loop, the others off it, a part at a time, and users take turns.
struct PlanQueue<Place> {
    /// The most bytes of predicates that are planned on the loop in an iteration, and off it at a time.
    private let mostBytes: Int
    /// Bytes that were planned on the loop in this iteration.
    private var bytesOnLoop = 0
    /// In the order in which they came, by user.
    private var places: [UInt32: CircularBuffer<Place>] = [:]
    /// Users for whom plans are being made.
    private var underWay: Set<UInt32> = []

    init(mostBytes: Int) { self.mostBytes = mostBytes }

    /// Begins a loop iteration. Returns the users with live queries that wait.
    mutating func beginIteration() -> [UInt32] {
        bytesOnLoop = 0
        return Array(places.keys)
    }

    /// Whether a predicate of so many bytes may be planned on the loop in this iteration, and counts it if so.
    mutating func takeRoomOnLoop(bytes: Int) -> Bool {
        guard bytesOnLoop + bytes <= mostBytes else { return false }
        bytesOnLoop += bytes
        return true
    }

    mutating func add(_ place: Place, of user: UInt32) { places[user, default: CircularBuffer()].append(place) }

    /// Begins to make plans for a user, if one is possible and none are being made. Returns whether it does; ``end(for:)`` must follow.
    mutating func begin(for user: UInt32, isPossible: (Place) -> Bool) -> Bool {
        guard !underWay.contains(user), places[user]?.contains(where: isPossible) == true else { return false }
        underWay.insert(user)
        return true
    }

    mutating func end(for user: UInt32) { underWay.remove(user) }

    /// Takes the next of a user's live queries: as much as the loop plans in an iteration, or one. Those that do not wait any more
    /// are dropped, and those that are held come last the next time.
    mutating func take(
        of user: UInt32, bytes: (Place) -> Int, isAwaited: (Place) -> Bool, isHeld: (Place) -> Bool
    ) -> [Place] {
        var (taken, held): ([Place], [Place]) = ([], [])
        var sum = 0
        var waiting = places.removeValue(forKey: user) ?? CircularBuffer()
        while let next = waiting.first {
            let size = bytes(next)
            guard taken.isEmpty || sum + size <= mostBytes else { break }
            waiting.removeFirst()
            guard isAwaited(next) else { continue }
            if isHeld(next) {
                held.append(next)
            } else {
                taken.append(next)
                sum += size
            }
        }
        waiting.append(contentsOf: held)
        if !waiting.isEmpty { places[user] = waiting }
        return taken
    }
}
