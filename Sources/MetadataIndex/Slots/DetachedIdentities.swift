// The identities of entries that are gone and may come again.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The identities of entries that are gone and may come again, by the file that each was. Their slots are not free
/// meanwhile.
struct DetachedIdentities {
    struct Identity {
        var row: UInt32
        /// That of the occupant; the slot's own is the next one's already, so that a saved index never gives it again.
        var generation: UInt32
        var isDirectory: Bool
        /// State of a file that has not changed since its birth; nil for other files.
        var young: Young?
        /// Where it lay in the directory that went with it, or in an inaccessible directory. A move of the former has changed
        /// nothing in it.
        var place: (directory: Occupant, name: [UInt8])?
        /// Since when it is kept.
        var serial: UInt64 = 0
    }

    /// Tells a moved file from a new file that was born in the same clock tick and was given the same inode.
    struct Young {
        /// Nil where it was written to since.
        var size: Int64?
        var modified: Int64?
        var changed: Int64
    }

    /// With so many, the first of those that are kept end.
    static let mostIdentities = 65_536
    /// So few that came again stay in the order.
    static let leastTidied = 1_024

    /// A directory: its slot may be another's by the time that something comes there.
    struct Occupant: Hashable {
        var row: UInt32
        var generation: UInt32
    }

    /// The place of a file with several names, or of an occupant whose file is unknown.
    private struct Place: Hashable {
        var file: FileIdentity
        var directory: Occupant
        var name: [UInt8]
    }

    private(set) var identities: [FileIdentity: Identity] = [:]
    private var linked: [Place: Identity] = [:]
    /// The files in the order in which they went, those that came again since among them, from `first` on.
    private var order: [(file: FileIdentity, serial: UInt64)] = []
    private var first = 0
    private var serial: UInt64 = 0

    var isEmpty: Bool { identities.isEmpty && linked.isEmpty }
    var count: Int { identities.count + linked.count }

    /// Keeps an identity. Returns the identity it displaces: the one kept for the same file, or the oldest.
    mutating func keep(_ identity: Identity, of file: FileIdentity) -> Identity? {
        tidy()
        // One that came again, and goes once more, is another in the order.
        serial += 1
        var identity = identity
        identity.serial = serial
        order.append((file, serial))
        if let earlier = identities.updateValue(identity, forKey: file) { return earlier }
        guard identities.count > DetachedIdentities.mostIdentities else { return nil }
        while first < order.count {
            first += 1
            guard kept(order[first - 1]) != nil else { continue }
            return identities.removeValue(forKey: order[first - 1].file)
        }
        return nil
    }

    /// Keeps an identity of a file with several names, for the name that it has here; returns the identity that ends
    /// for it.
    mutating func keep(
        _ identity: Identity, of file: FileIdentity, named name: [UInt8], in directory: Occupant
    ) -> Identity? {
        let place = Place(file: file, directory: directory, name: name)
        if linked.count >= DetachedIdentities.mostIdentities, linked[place] == nil { return identity }
        return linked.updateValue(identity, forKey: place)
    }

    /// Takes that, or the one of a file that had no other name when it went.
    mutating func take(_ file: FileIdentity, named name: UnsafeRawBufferPointer, in directory: Occupant) -> Identity? {
        if let known = identities[file] {
            guard known.lay(named: name, in: directory) else { return nil }
            return end(file)
        }
        return linked.isEmpty
            ? nil : linked.removeValue(forKey: Place(file: file, directory: directory, name: Array(name)))
    }

    /// Those that are found by their files, the last that went first.
    var lastFirst: some Sequence<(file: FileIdentity, identity: Identity)> {
        order[first...].reversed().lazy.compactMap { place in kept(place).map { (place.file, $0) } }
    }

    /// Those that are found by their places.
    var oneOfSeveral:
        some Sequence<(file: FileIdentity, place: (directory: Occupant, name: [UInt8]), identity: Identity)>
    {
        linked.lazy.map { ($0.key.file, ($0.key.directory, $0.key.name), $0.value) }
    }

    /// Removes and returns the identity kept for a file, wherever the file lies now.
    mutating func end(_ file: FileIdentity) -> Identity? {
        defer { tidy() }
        return identities.removeValue(forKey: file)
    }

    /// Calls with each.
    func forEach(_ body: (Identity) -> Void) {
        for identity in identities.values { body(identity) }
        for identity in linked.values { body(identity) }
    }

    /// Nil of one that came again, or ended.
    private func kept(_ place: (file: FileIdentity, serial: UInt64)) -> Identity? {
        identities[place.file].flatMap { $0.serial == place.serial ? $0 : nil }
    }

    /// Compacts the order list once most of it is used up, so that a save in each loop iteration does not pass over it.
    private mutating func tidy() {
        guard order.count >= 2 * identities.count + DetachedIdentities.leastTidied else { return }
        order = order[first...].filter { kept($0) != nil }
        first = 0
    }

    /// Takes the one of a file that comes to a place.
    mutating func take(
        _ status: FileStatus, named name: UnsafeRawBufferPointer? = nil, in directory: Occupant? = nil
    ) -> Identity? {
        guard DetachedIdentities.isKnownAgain(status), let known = identities[status.identity],
            known.isDirectory == status.kind.isDirectory,
            known.young.map({ $0.mayBe(status) }) ?? true || known.lay(named: name, in: directory)
        else { return takeUnknown(status, named: name, in: directory) }
        return end(status.identity)
    }

    /// Takes the identity kept for this name in a directory that returned, where the file itself was unknown.
    private mutating func takeUnknown(
        _ status: FileStatus, named name: UnsafeRawBufferPointer?, in directory: Occupant?
    ) -> Identity? {
        guard !linked.isEmpty, !status.kind.isDirectory, let name, let directory else { return nil }
        return linked.removeValue(forKey: Place(file: .unknown, directory: directory, name: Array(name)))
    }

    /// Returns whether a file can be recognised by its status. A file with several names may be any of them, and an inode
    /// without a birth time may have been reused.
    static func isKnownAgain(_ status: FileStatus) -> Bool {
        (status.kind.isDirectory || status.links == 1) && status.created != nil
    }

    /// Returns the state to remember beside a file's identity. `isOutdated`: it has changed since it was looked at.
    ///
    /// A file system reuses an inode at once, and times have the resolution of a clock tick. A file that changed after the
    /// tick of its birth existed when that tick ended, so no other file of its inode was born in that tick.
    static func young(_ status: FileStatus, isOutdated: Bool) -> Young? {
        guard let created = status.created, status.changed <= created else { return nil }
        return Young(
            size: isOutdated ? nil : status.size, modified: isOutdated ? nil : status.modified.nanoseconds,
            changed: status.changed.nanoseconds)
    }

    /// Bytes held, about.
    var byteCount: Int { identities.capacity * 112 + order.capacity * 48 + linked.capacity * 160 }
}

extension DetachedIdentities.Identity {
    /// Whether it lay here, in a directory that has come again.
    fileprivate func lay(named name: UnsafeRawBufferPointer?, in directory: DetachedIdentities.Occupant?) -> Bool {
        guard let place, let name else { return false }
        return place.directory == directory && name.elementsEqual(place.name)
    }
}

extension DetachedIdentities.Young {
    /// Whether a file of the same inode and birth may be this one: to move it has changed it since, and nothing but that. A
    /// directory that has moved may have been filled as well.
    fileprivate func mayBe(_ status: FileStatus) -> Bool {
        guard status.changed.nanoseconds > changed else { return false }
        return status.kind.isDirectory
            || (size ?? status.size == status.size
                && modified ?? status.modified.nanoseconds == status.modified.nanoseconds)
    }
}
