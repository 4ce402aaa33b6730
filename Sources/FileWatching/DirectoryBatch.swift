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
    /// Raw values of `user.xdg.tags`, end to end.
    package internal(set) var tags: [UInt8] = []
    /// Where each value ends in ``tags``; empty as a whole where tags were not read.
    package internal(set) var tagEnds: [UInt32] = []
    /// Entries on which a file system is mounted, in ascending order.
    var mountRoots: [UInt32] = []

    /// How many entries there are.
    package var count: Int { statuses.count }
    /// Whether tags were read.
    package var hasTags: Bool { !tagEnds.isEmpty }

    package init() {}

    /// Where the name of an entry lies in ``names``.
    package func nameRange(at index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(nameEnds[index - 1]))..<Int(nameEnds[index])
    }

    /// Where the tags of an entry lie in ``tags``; nil where tags were not read.
    package func tagRange(at index: Int) -> Range<Int>? {
        tagEnds.isEmpty ? nil : (index == 0 ? 0 : Int(tagEnds[index - 1]))..<Int(tagEnds[index])
    }

    /// Appends an entry.
    mutating func append(
        name: UnsafeRawBufferPointer, status: FileStatus, isMountRoot: Bool, tags value: UnsafeRawBufferPointer?
    ) {
        if isMountRoot { mountRoots.append(UInt32(statuses.count)) }
        names.append(contentsOf: name)
        nameEnds.append(UInt32(truncatingIfNeeded: names.count))
        statuses.append(status)
        if let value {
            tags.append(contentsOf: value)
            tagEnds.append(UInt32(truncatingIfNeeded: tags.count))
        }
    }
}
