// The containers of a running daemon.
// SPDX-License-Identifier: Apache-2.0

import FileWatching

/// The containers in the order of their identifiers, each found by its identifier, its number or the session of its helper.
struct ContainerSet: RandomAccessCollection {
    private var records: [ContainerRecord] = []
    private var lastNumber: UInt32 = 0
    private var lastSession: Int64 = 0

    var startIndex: Int { 0 }
    var endIndex: Int { records.count }
    subscript(place: Int) -> ContainerRecord { records[place] }

    /// Returns a number that no container of this run has had.
    mutating func makeNumber() -> UInt32 {
        lastNumber += 1
        return lastNumber
    }

    /// Returns a number that no session of a helper in this run has had.
    mutating func makeSessionNumber() -> Int64 {
        lastSession += 1
        return lastSession
    }

    /// Adds a container, whose identifier is free.
    mutating func insert(_ record: ContainerRecord) {
        let place = records.firstIndex { $0.identifier > record.identifier } ?? records.count
        records.insert(record, at: place)
    }

    mutating func remove(_ record: ContainerRecord) { records.removeAll { $0 === record } }

    func contains(_ record: ContainerRecord) -> Bool { records.contains { $0 === record } }

    func named(_ identifier: String) -> ContainerRecord? { records.first { $0.identifier == identifier } }

    func numbered(_ number: UInt32) -> ContainerRecord? { records.first { $0.number == number } }

    /// Returns the container that a helper tells the states of in a session, with the session.
    func synced(in session: Int64) -> (container: ContainerRecord, session: SyncSession)? {
        for record in records {
            if let sync = record.sync, sync.number == session { return (record, sync) }
        }
        return nil
    }

    /// Returns the containers that lie in another one.
    func below(_ outer: ContainerRecord) -> [ContainerRecord] {
        records.filter { ContainerConfiguration.way(from: outer.resolvedPath, to: $0.resolvedPath) != nil }
    }

    /// Returns the directories to be mounted between a container and the nearest one around it; nil if it lies in no other.
    func enclosure(of record: ContainerRecord) -> Enclosure? {
        var nearest: (way: [String], outer: ContainerRecord)?
        for outer in records {
            guard let way = ContainerConfiguration.way(from: outer.resolvedPath, to: record.resolvedPath),
                way.count < nearest?.way.count ?? .max
            else { continue }
            nearest = (way, outer)
        }
        guard let (way, outer) = nearest else { return nil }
        return Enclosure(
            directories: way,
            reason:
                "it lies in container '\(outer.identifier)' at \(outer.configuration.path), and is one of its own once "
                + "a file system is mounted on it")
    }
}
