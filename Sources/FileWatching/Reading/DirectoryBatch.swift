// The entries of one directory, as a crawling thread hands them over.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// The entries of one directory in columns: the names lie end to end in one buffer.
package struct DirectoryBatch: Sendable {
    /// All names, end to end.
    package internal(set) var names: [UInt8] = []
    /// Where each name ends in ``names``; it begins where the one before ends.
    package internal(set) var nameEnds: [UInt32] = []
    /// The status of each entry.
    package internal(set) var statuses: [FileStatus] = []
    /// Extra attributes (`ExtraAttributes`), end to end.
    package internal(set) var extras: [UInt8] = []
    /// Where those of each entry lie in ``extras``, the same place for the same ones; empty as a whole where they were not
    /// read.
    package internal(set) var extrasPlaces: [Range<Int>] = []
    /// The places by a hash of the names there, until all was appended.
    private var placesByHash: [Int: Range<Int>] = [:]
    /// The entries whose extras could not be read.
    var unknownExtras: Set<UInt32> = []
    /// Entries on which a file system is mounted, in ascending order.
    var mountRoots: [UInt32] = []
    /// How many bytes of extras it takes.
    var extrasLimit = Int.max
    /// Whether that was too little.
    private(set) var lacksRoom = false

    /// How many entries there are.
    package var count: Int { statuses.count }
    /// Whether extras were read.
    package var hasExtras: Bool { !extrasPlaces.isEmpty }
    /// Its weight in entries: large extras count as entries too.
    var weight: Int { count + extras.count / WatchLimits.extraBytesOfAnEntry }

    package init() {}

    /// Where the name of an entry lies in ``names``.
    package func nameRange(at index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(nameEnds[index - 1]))..<Int(nameEnds[index])
    }

    /// Where the extras of an entry lie in ``extras``; nil where they are not known.
    package func extrasRange(at index: Int) -> Range<Int>? {
        guard !extrasPlaces.isEmpty, unknownExtras.isEmpty || !unknownExtras.contains(UInt32(index)) else { return nil }
        return extrasPlaces[index]
    }

    /// Appends an entry whose extras were not read, as those of no other of the batch.
    mutating func append(name: UnsafeRawBufferPointer, status: FileStatus, isMountRoot: Bool) {
        if isMountRoot { mountRoots.append(UInt32(statuses.count)) }
        names.append(contentsOf: name)
        nameEnds.append(UInt32(truncatingIfNeeded: names.count))
        statuses.append(status)
    }

    /// Appends an entry with its extras, nil where they could not be read. Past ``extrasLimit`` they
    /// count as such.
    mutating func append(
        name: UnsafeRawBufferPointer, status: FileStatus, isMountRoot: Bool, read value: UnsafeRawBufferPointer?
    ) {
        let place = value.flatMap { self.place(of: $0) }
        if place == nil { unknownExtras.insert(UInt32(statuses.count)) }
        extrasPlaces.append(place ?? 0..<0)
        append(name: name, status: status, isMountRoot: isMountRoot)
    }

    private mutating func place(of value: UnsafeRawBufferPointer) -> Range<Int>? {
        if value.isEmpty { return 0..<0 }
        var hasher = Hasher()
        hasher.combine(bytes: value)
        let hash = hasher.finalize()
        if let place = placesByHash[hash], extras[place].elementsEqual(value) { return place }
        guard extras.count + value.count <= extrasLimit else {
            lacksRoom = true
            return nil
        }
        let start = extras.count
        extras.append(contentsOf: value)
        placesByHash[hash] = start..<extras.count
        return start..<extras.count
    }

    /// Lets go of data that only appending needs.
    mutating func finish() { placesByHash = [:] }
}
