// The conflict versions of an index, and how many each place has.
// SPDX-License-Identifier: Apache-2.0

/// The conflict versions of an index, and how many each place has. A place is a directory and a name, by its hash
/// (``NameHash``). Its 64 bits depend on a secret, so two places of one hash are not found by trying, and not met by
/// accident.
struct ConflictVersions {
    /// Each version with the place of the file that it belongs to, whether or not that exists.
    private var places: [UInt32: UInt64] = [:]
    private var counts: [UInt64: UInt32] = [:]
    /// The rows whose number of versions may have changed since it was settled.
    var unsettled: Set<UInt32> = []

    @inline(__always)
    var isEmpty: Bool { places.isEmpty }

    @inline(__always)
    func contains(_ row: UInt32) -> Bool { !places.isEmpty && places[row] != nil }

    /// The rows of all versions.
    var rows: some Collection<UInt32> { places.keys }

    /// Returns the number of versions that the file at a place has.
    func count(at place: UInt64) -> UInt32 { places.isEmpty ? 0 : counts[place] ?? 0 }

    /// Adds a version of the file at a place.
    mutating func insert(_ row: UInt32, of place: UInt64) {
        places[row] = place
        counts[place, default: 0] += 1
    }

    /// Removes a version, and returns the place of its file; nil if the row is none.
    mutating func remove(_ row: UInt32) -> UInt64? {
        guard let place = places.removeValue(forKey: row) else { return nil }
        let left = (counts[place] ?? 0) &- 1
        counts[place] = left > 0 && left < .max ? left : nil
        return place
    }

    /// The numbers inside a package changed, or it is no package any more.
    mutating func noteInside(_ package: UInt32) { unsettled.insert(package) }

    /// Bytes held.
    var byteCount: Int { places.capacity * 14 + counts.capacity * 14 + unsettled.capacity * 5 }
}
