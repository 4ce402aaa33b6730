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
    /// Where those of each entry end in ``extras``; empty as a whole where they were not read.
    package internal(set) var extrasEnds: [Int] = []
    /// The entries whose extras could not be read.
    var unknownExtras: Set<UInt32> = []
    /// Entries on which a file system is mounted, in ascending order.
    var mountRoots: [UInt32] = []

    /// How many entries there are.
    package var count: Int { statuses.count }
    /// Whether extras were read.
    package var hasExtras: Bool { !extrasEnds.isEmpty }

    package init() {}

    /// Where the name of an entry lies in ``names``.
    package func nameRange(at index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(nameEnds[index - 1]))..<Int(nameEnds[index])
    }

    /// Where the extras of an entry lie in ``extras``; nil where they are not known.
    package func extrasRange(at index: Int) -> Range<Int>? {
        guard !extrasEnds.isEmpty, unknownExtras.isEmpty || !unknownExtras.contains(UInt32(index)) else { return nil }
        return (index == 0 ? 0 : extrasEnds[index - 1])..<extrasEnds[index]
    }

    /// Appends an entry whose extras were not read, as those of no other of the batch.
    mutating func append(name: UnsafeRawBufferPointer, status: FileStatus, isMountRoot: Bool) {
        if isMountRoot { mountRoots.append(UInt32(statuses.count)) }
        names.append(contentsOf: name)
        nameEnds.append(UInt32(truncatingIfNeeded: names.count))
        statuses.append(status)
    }

    /// Appends an entry with its extras, nil where they could not be read.
    mutating func append(
        name: UnsafeRawBufferPointer, status: FileStatus, isMountRoot: Bool, read value: UnsafeRawBufferPointer?
    ) {
        if let value { extras.append(contentsOf: value) } else { unknownExtras.insert(UInt32(statuses.count)) }
        extrasEnds.append(extras.count)
        append(name: name, status: status, isMountRoot: isMountRoot)
    }
}
