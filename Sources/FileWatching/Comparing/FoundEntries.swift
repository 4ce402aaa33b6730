// Entries that a comparison has found and did not know.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Entries that a comparison has found and that are not known. They are held until all was listed, to recognise moved
/// files.
struct FoundEntries {
    /// In the order of their finding. An empty name means the directory itself.
    private(set) var entries: [(directory: DirectoryID, name: [UInt8])] = []
    /// How many of them were taken.
    private var next = 0
    /// Files with several names that were found, and are not in the tree until that is looked at.
    private var linked: [InodeNumber: FileStatus] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Whether there are entries that were not taken.
    var hasNext: Bool { next < entries.count }

    mutating func add(_ directory: DirectoryID, _ name: [UInt8]) { entries.append((directory, name)) }

    /// Takes the next entries, so many at most.
    mutating func take(atMost limit: Int) -> ArraySlice<(directory: DirectoryID, name: [UInt8])> {
        let slice = entries[next...].prefix(limit)
        next = slice.endIndex
        return slice
    }

    /// All entries were looked at.
    mutating func removeEntries() { (entries, next) = ([], 0) }

    /// Notes a file that was found, if it has several names.
    mutating func noteFile(_ status: FileStatus) {
        guard status.links > 1, !status.kind.isDirectory else { return }
        linked[InodeNumber(device: status.device, inode: status.inode)] = status
    }

    var hasLinked: Bool { !linked.isEmpty }

    /// Takes files with several names, so many at most.
    mutating func takeLinked(atMost limit: Int) -> [FileStatus] {
        let some = Array(linked.prefix(limit))
        for (file, _) in some { linked[file] = nil }
        return some.map(\.value)
    }
}
