// Entries that a comparison knows and has not found.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Entries that were known and that a comparison has not found. They are held to the end, to recognise moved files.
///
/// Some are replaced: another file has their name. These are looked at first, when all that moved away was recognised.
struct MissingEntries {
    private var entries: [(directory: DirectoryID, name: [UInt8])] = []
    /// How many of them were taken.
    private var next = 0
    private var indexOfFile: [FileIdentity: Int] = [:]
    /// The indexes of those that are replaced, in order and as a set, and how many of them were taken.
    private var replaced: [Int] = []
    private var isReplaced: Set<Int> = []
    private var nextReplaced = 0
    /// Events that may tell where the entries went lie before this in the stream, and are heard first.
    private(set) var endOfNews: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }
    /// Whether there are entries that were not taken, replaced or not.
    var hasNext: Bool { next < entries.count }
    /// Whether there are replaced entries that were not taken.
    var hasNextReplaced: Bool { nextReplaced < replaced.count }
    /// Whether any file is known by which an entry may be recognised.
    var hasFiles: Bool { !indexOfFile.isEmpty }

    /// Adds an entry, with the file that it had as far as that is known.
    mutating func add(_ directory: DirectoryID, _ name: [UInt8], _ file: FileIdentity?, isReplaced: Bool = false) {
        let index = entries.count
        if isReplaced {
            replaced.append(index)
            self.isReplaced.insert(index)
        }
        if let file { indexOfFile[file] = index }
        entries.append((directory, name))
    }

    /// Returns the entry that a file had; nil for none.
    func entry(of file: FileIdentity) -> (directory: DirectoryID, name: [UInt8])? {
        indexOfFile[file].map { entries[$0] }
    }

    func contains(_ file: FileIdentity) -> Bool { indexOfFile[file] != nil }

    /// Whether a file had an entry that is replaced.
    func isReplaced(_ file: FileIdentity) -> Bool { indexOfFile[file].map(isReplaced.contains) ?? false }

    /// The entry of one file is that of another from now on: the two have changed places.
    mutating func exchange(_ file: FileIdentity, with other: FileIdentity) {
        guard let index = indexOfFile.removeValue(forKey: file) else { return }
        indexOfFile[other] = index
    }

    /// Takes the next entries, so many at most.
    mutating func take(atMost limit: Int) -> ArraySlice<(directory: DirectoryID, name: [UInt8])> {
        let slice = entries[next...].prefix(limit)
        next = slice.endIndex
        return slice
    }

    /// Takes the next replaced entries, so many at most.
    mutating func takeReplaced(atMost limit: Int) -> ArraySlice<(directory: DirectoryID, name: [UInt8])> {
        let slice = replaced[nextReplaced...].prefix(limit)
        nextReplaced = slice.endIndex
        return slice.map { entries[$0] }[...]
    }

    /// The entries are looked at when the stream was heard to there.
    mutating func wait(until position: UInt64) { endOfNews = position }

    /// All entries were looked at.
    mutating func removeAll() { self = MissingEntries() }
}
