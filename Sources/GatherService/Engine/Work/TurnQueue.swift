// Work that is bounded, with users taking turns for it.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Lets so many at once do something, in all and for each user. Later ones wait. Users take turns, so that the thousand
/// questions of one user wait for each other and hold up no other user. On the event loop.
final class TurnQueue {
    /// A place that waits, or has begun.
    final class Place {
        fileprivate enum State { case waiting, begun, left }

        fileprivate let queue: TurnQueue
        fileprivate let user: UInt32
        fileprivate var state = State.waiting {
            didSet { if state != .waiting { patience.take()?.cancel() } }
        }
        fileprivate var begin: ((Place) -> Void)?
        /// Runs while it waits.
        private var patience: Scheduled<Void>?

        fileprivate init(_ queue: TurnQueue, _ user: UInt32, _ begin: @escaping (Place) -> Void) {
            self.queue = queue
            self.user = user
            self.begin = begin
        }

        var isWaiting: Bool { state == .waiting }

        /// Whether its user has fewer than one may have, so that it waits because of others.
        var waitsForOthers: Bool { isWaiting && queue.begunOfUser[user, default: 0] < queue.perUser }

        /// Calls `late` if it waits for as long as `time`. Once its turn has come, or it has left, nothing is kept.
        func limitWaiting(to time: TimeAmount, on loop: any EventLoop, _ late: @escaping () -> Void) {
            guard isWaiting else { return }
            let late = NIOLoopBound(late, eventLoop: loop)
            patience = loop.scheduleTask(in: time) { late.value() }
        }

        /// Makes room for the next; nothing happens the second time. Also the way for a waiting place to give up.
        func leave() { queue.leave(self) }

        /// Gives up if it still waits.
        func giveUp() { if isWaiting { leave() } }
    }

    /// The waiting places of one user, in order. Leaving costs nothing but a mark: ten thousand may wait, and leave at
    /// once.
    private struct Line {
        private var places: [Place] = []
        private var first = 0
        private(set) var count = 0

        mutating func append(_ place: Place) {
            places.append(place)
            count += 1
        }

        mutating func popFirst() -> Place? {
            while first < places.count {
                let place = places[first]
                first += 1
                guard place.isWaiting else { continue }
                count -= 1
                tidy()
                return place
            }
            return nil
        }

        mutating func noteLeaving() {
            count -= 1
            tidy()
        }

        private mutating func tidy() {
            guard places.count > 2 * count + 64 else { return }
            places = places[first...].filter(\.isWaiting)
            first = 0
        }
    }

    private let atOnce: Int
    private let perUser: Int
    private var begun = 0
    private var begunOfUser: [UInt32: Int] = [:]
    private var waiting: [UInt32: Line] = [:]
    /// Users with somebody waiting, the one first whose turn is next.
    private var turns: [UInt32] = []
    private var isBeginning = false

    init(atOnce: Int, perUser: Int) {
        self.atOnce = atOnce
        self.perUser = perUser
    }

    /// How many wait.
    var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// Calls `begin` when it is this one's turn, at once where there is room.
    @discardableResult
    func enter(user: UInt32, _ begin: @escaping (Place) -> Void) -> Place {
        let place = Place(self, user, begin)
        if waiting[user] == nil { turns.append(user) }
        waiting[user, default: Line()].append(place)
        beginNext()
        return place
    }

    private func leave(_ place: Place) {
        let state = place.state
        place.state = .left
        place.begin = nil
        switch state {
        case .left: return
        case .waiting:
            waiting[place.user]?.noteLeaving()
            forgetIfNobodyWaits(place.user)
        case .begun:
            begun -= 1
            let left = begunOfUser[place.user, default: 1] - 1
            begunOfUser[place.user] = left > 0 ? left : nil
        }
        beginNext()
    }

    private func beginNext() {
        // A place that begins may leave, or enter again, before the call returns.
        guard !isBeginning else { return }
        isBeginning = true
        while begun < atOnce, let turn = turns.firstIndex(where: { begunOfUser[$0, default: 0] < perUser }) {
            let user = turns.remove(at: turn)
            turns.append(user)
            let place = waiting[user]?.popFirst()
            forgetIfNobodyWaits(user)
            guard let place else { continue }
            begun += 1
            begunOfUser[user, default: 0] += 1
            place.state = .begun
            let begin = place.begin
            place.begin = nil
            begin?(place)
        }
        isBeginning = false
    }

    private func forgetIfNobodyWaits(_ user: UInt32) {
        guard waiting[user]?.count ?? 0 == 0 else { return }
        waiting[user] = nil
        turns.removeAll { $0 == user }
    }
}
