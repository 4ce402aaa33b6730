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
    /// Extended attributes (`ExtraAttributes`), end to end.
    package internal(set) var xattrs: [UInt8] = []
    /// Where those of each entry lie in ``xattrs``, the same place for the same ones; empty as a whole where they were not
    /// read.
    package internal(set) var xattrPlaces: [Range<Int>] = []
    /// The places by a hash of the names there, until all was appended.
    private var placesByHash: [Int: Range<Int>] = [:]
    /// The entries whose extended attributes could not be read.
    var unknownXattrs: Set<UInt32> = []
    /// Entries on which a file system is mounted, in ascending order.
    var mountRoots: [UInt32] = []
    /// How many bytes of extended attributes it takes.
    var xattrLimit = Int.max
    /// Whether that was too little.
    private(set) var lacksRoom = false

    /// How many entries there are.
    package var count: Int { statuses.count }
    /// Whether extended attributes were read.
    package var hasXattrs: Bool { !xattrPlaces.isEmpty }
    /// Its weight in entries: large extended attributes count as entries too.
    var weight: Int { count + xattrs.count / WatchLimits.extraBytesOfAnEntry }

    package init() {}

    /// Where the name of an entry lies in ``names``.
    package func nameRange(at index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(nameEnds[index - 1]))..<Int(nameEnds[index])
    }

    /// Where the extended attributes of an entry lie in ``xattrs``; nil where they are not known.
    package func xattrRange(at index: Int) -> Range<Int>? {
        guard !xattrPlaces.isEmpty, unknownXattrs.isEmpty || !unknownXattrs.contains(UInt32(index)) else { return nil }
        return xattrPlaces[index]
    }

    /// Appends an entry whose extended attributes were not read, as those of no other of the batch.
    mutating func append(name: UnsafeRawBufferPointer, status: FileStatus, isMountRoot: Bool) {
        if isMountRoot { mountRoots.append(UInt32(statuses.count)) }
        names.append(contentsOf: name)
        nameEnds.append(UInt32(truncatingIfNeeded: names.count))
        statuses.append(status)
    }

    /// Appends an entry with its extended attributes, nil where they could not be read. Past ``xattrLimit`` they
    /// count as such.
    mutating func append(
        name: UnsafeRawBufferPointer, status: FileStatus, isMountRoot: Bool, read value: UnsafeRawBufferPointer?
    ) {
        let place = value.flatMap { self.place(of: $0) }
        if place == nil { unknownXattrs.insert(UInt32(statuses.count)) }
        xattrPlaces.append(place ?? 0..<0)
        append(name: name, status: status, isMountRoot: isMountRoot)
    }

    private mutating func place(of value: UnsafeRawBufferPointer) -> Range<Int>? {
        if value.isEmpty { return 0..<0 }
        var hasher = Hasher()
        hasher.combine(bytes: value)
        let hash = hasher.finalize()
        if let place = placesByHash[hash], xattrs[place].elementsEqual(value) { return place }
        guard xattrs.count + value.count <= xattrLimit else {
            lacksRoom = true
            return nil
        }
        let start = xattrs.count
        xattrs.append(contentsOf: value)
        placesByHash[hash] = start..<xattrs.count
        return start..<xattrs.count
    }

    /// Lets go of data that only appending needs.
    mutating func finish() { placesByHash = [:] }
}
