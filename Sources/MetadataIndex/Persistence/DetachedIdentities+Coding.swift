// Detached rows as bytes: for the process that goes on where this one ends, before their files have come again.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension DetachedIdentities {
    /// An identity, and where it is found again: by its file, or by that and its name in a directory.
    struct Saved {
        var identity: Identity
        var file: FileIdentity
        var place: (directory: Occupant, name: [UInt8])?
    }

    /// The facts about an identity, in one byte before it.
    private struct Facts: OptionSet {
        var rawValue: UInt8

        static let isDirectory = Facts(rawValue: 1)
        static let isBorn = Facts(rawValue: 2)
        static let isYoung = Facts(rawValue: 4)
        static let hasSize = Facts(rawValue: 8)
        static let hasModified = Facts(rawValue: 16)
        static let hasPlace = Facts(rawValue: 32)
        /// It is found by its place alone.
        static let isOneOfSeveral = Facts(rawValue: 64)
        static let all = Facts(rawValue: 127)
    }

    /// No more than so many bytes: the rows that went first are left out then, which lay in those that went after them.
    func bytes(limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ saved: Saved) -> Bool {
            let before = bytes.count
            saved.append(to: &bytes)
            guard bytes.count > limit else { return true }
            bytes.removeLast(bytes.count - before)
            return false
        }
        for (file, identity) in lastFirst {
            guard append(Saved(identity: identity, file: file, place: nil)) else { return bytes }
        }
        for (file, place, identity) in oneOfSeveral {
            guard append(Saved(identity: identity, file: file, place: place)) else { return bytes }
        }
        return bytes
    }

    /// Reads the rows that another process has kept, the first that went first; nil where the bytes are malformed.
    static func saved(in bytes: UnsafeRawBufferPointer) -> [Saved]? {
        var reader = ByteReader(bytes)
        var found: [Saved] = []
        while !reader.rest.isEmpty {
            guard let saved = try? Saved(from: &reader) else { return nil }
            found.append(saved)
        }
        return found.reversed()
    }
}

extension DetachedIdentities.Saved {
    private typealias Facts = DetachedIdentities.Facts

    fileprivate func append(to bytes: inout [UInt8]) {
        let (young, place) = (identity.young, place ?? identity.place)
        var facts: Facts = []
        if identity.isDirectory { facts.insert(.isDirectory) }
        if file.created != nil { facts.insert(.isBorn) }
        if young != nil { facts.insert(.isYoung) }
        if young?.size != nil { facts.insert(.hasSize) }
        if young?.modified != nil { facts.insert(.hasModified) }
        if place != nil { facts.insert(.hasPlace) }
        if self.place != nil { facts.insert(.isOneOfSeveral) }
        bytes.append(facts.rawValue)
        bytes.append(number: identity.row)
        bytes.append(number: identity.generation)
        bytes.append(number: file.device)
        bytes.append(number: file.inode)
        if let created = file.created { bytes.append(number: created.nanoseconds) }
        if let young {
            bytes.append(number: young.changed)
            if let size = young.size { bytes.append(number: size) }
            if let modified = young.modified { bytes.append(number: modified) }
        }
        guard let place else { return }
        bytes.append(number: place.directory.row)
        bytes.append(number: place.directory.generation)
        bytes.append(number: UInt16(truncatingIfNeeded: place.name.count))
        bytes += place.name
    }

    fileprivate init(from reader: inout ByteReader) throws(RestoreError) {
        let facts = Facts(rawValue: try reader.number(UInt8.self))
        guard facts.isSubset(of: .all), facts.contains(.hasPlace) || !facts.contains(.isOneOfSeveral) else {
            throw .malformed("the detached rows")
        }
        identity = DetachedIdentities.Identity(
            row: try reader.number(UInt32.self), generation: try reader.number(UInt32.self),
            isDirectory: facts.contains(.isDirectory))
        file = FileIdentity(
            device: try reader.number(UInt64.self), inode: try reader.number(UInt64.self), created: nil)
        if facts.contains(.isBorn) { file.created = Timestamp(nanoseconds: try reader.number(Int64.self)) }
        if facts.contains(.isYoung) {
            var young = DetachedIdentities.Young(changed: try reader.number(Int64.self))
            if facts.contains(.hasSize) { young.size = try reader.number(Int64.self) }
            if facts.contains(.hasModified) { young.modified = try reader.number(Int64.self) }
            identity.young = young
        }
        guard facts.contains(.hasPlace) else { return }
        let directory = DetachedIdentities.Occupant(
            row: try reader.number(UInt32.self), generation: try reader.number(UInt32.self))
        let name = Array(try reader.bytes(Int(try reader.number(UInt16.self))))
        if facts.contains(.isOneOfSeveral) {
            place = (directory, name)
        } else {
            identity.place = (directory, name)
        }
    }
}

extension IndexStorage {
    /// Detaches the rows that another process had detached in the index that this one goes on with. Impossible ones are
    /// left out: those whose slot is not free, or has not had their occupant.
    ///
    /// Complexity: O(free slots).
    mutating func restoreDetached(saved bytes: UnsafeRawBufferPointer) {
        guard let found = DetachedIdentities.saved(in: bytes), !found.isEmpty else { return }
        // If two name one row, the last counts.
        var occupants: [UInt32: UInt32] = [:]
        for saved in found { occupants[saved.identity.row] = saved.identity.generation }
        var taken = slots.take(occupants, in: &rows)
        for saved in found.reversed().filter({ taken.remove($0.identity.row) != nil }).reversed() {
            if let ended = detached.restore(saved) { slots.free(ended, in: &rows) }
        }
    }
}
