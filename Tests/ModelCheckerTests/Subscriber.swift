// One live query on a connection of its own, which it may lose and take up again.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import IdentityModel

/// A subscriber: its question, and the set that it holds.
final class Subscriber {
    private(set) var set: LiveSet
    private let batch: Int
    /// In milliseconds: how soon a subscriber that is waiting knows that nothing is pending.
    private let heartbeat: Int
    private var connection: Connection?
    /// Reads a byte when it is asked to read, until it is let go.
    var isSlow = false

    init(_ question: Question, batch: Int, heartbeat: Int = 10) {
        set = LiveSet(question, idleChangesCount: KnownGaps.tellsNoIdleChanges)
        self.batch = batch
        self.heartbeat = heartbeat
    }

    var isConnected: Bool { connection != nil }
    /// Whether changes are held for it for longer than anybody waits.
    var isPatient: Bool { batch > 1_000 }

    func connect(_ socket: String) throws {
        set.reconnect()
        let connection = try Connection(socket)
        var parameters = set.question.parameters
        parameters["heartbeat"] = heartbeat
        if batch > 0 { parameters["batch"] = batch }
        if let clock = set.clock { parameters["since"] = clock }
        try connection.send("io.gatherd.Query.Watch", parameters, more: true)
        self.connection = connection
    }

    func disconnect() { connection = nil }

    /// Forgets what it held: the next connection begins anew.
    func forget() {
        disconnect()
        set.forget()
    }

    /// Takes what is there.
    func drain() throws {
        guard let connection else { return }
        if isSlow {
            if let reply = try connection.next(reading: 1) { set.apply(reply) }
            return
        }
        while let reply = try connection.next(waiting: false) { set.apply(reply) }
    }

    /// Takes everything up to a clock that a `Flush` has named: an update or a heartbeat brings one that is as late.
    func settle(_ flushed: Clock) throws {
        guard let connection else { return }
        try drain()
        while !set.isLive || !(set.clock.flatMap { Clock($0) }?.isAsLate(as: flushed) ?? false) {
            if let reply = try connection.next() { set.apply(reply) }
        }
    }

    /// Takes the next reply, however long it takes to come.
    func next() throws {
        if let reply = try connection?.next() { set.apply(reply) }
    }
}
