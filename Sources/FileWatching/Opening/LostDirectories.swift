// Directories that are not where their rows are, so that the way to those below them is not tried again and again.
// SPDX-License-Identifier: Apache-2.0

/// Directories that could not be opened in their places, and the directories below them that were asked for.
///
/// One directory that is missing makes everything below it unreachable. To find it costs a walk over the way down from the
/// root, so each directory on that way gets a mark. With the mark, the next look-up below costs one step: the marks of a
/// subtree cost as much as its directories, whatever its depth.
struct LostDirectories {
    private struct Mark {
        var lost: Int32 = -1
        var serial: UInt32 = 0
    }

    /// By slot: the lost directory at or above a directory. The mark counts as long as the serial number is the one below.
    private var marks: [Mark] = []
    /// The lost directories by slot, with the serial number of their marks.
    private var serials: [Int32: UInt32] = [:]
    private var lastSerial: UInt32 = 0
    /// The directory that could not be opened on the way to the last one that could not.
    private(set) var obstacle: DirectoryID?

    var isEmpty: Bool { serials.isEmpty }

    /// A directory is about to be opened.
    mutating func beginOpening() { obstacle = nil }

    /// A directory could not be opened in its place.
    mutating func noteObstacle(_ id: DirectoryID) { obstacle = id }

    /// The slot of the lost directory at or above the directory in `slot`, nil where none is known.
    func lost(atOrAbove slot: Int32) -> Int32? {
        guard !serials.isEmpty, Int(slot) < marks.count else { return nil }
        let mark = marks[Int(slot)]
        return mark.lost >= 0 && serials[mark.lost] == mark.serial ? mark.lost : nil
    }

    /// Marks directories below the lost one in `lost`, or that one itself.
    mutating func mark(_ way: some Sequence<DirectoryID>, below lost: Int32) {
        if serials[lost] == nil {
            lastSerial &+= 1
            serials[lost] = lastSerial
        }
        guard let serial = serials[lost] else { return }
        for id in way {
            if Int(id.slot) >= marks.count {
                marks.append(contentsOf: repeatElement(Mark(), count: max(Int(id.slot) + 1 - marks.count, 256)))
            }
            marks[Int(id.slot)] = Mark(lost: lost, serial: serial)
        }
    }

    /// The directory in `slot` was found, or its row has another place: the lost one at or above it is so no more.
    mutating func release(_ slot: Int32) {
        if let lost = lost(atOrAbove: slot) { serials[lost] = nil }
    }

    /// The directory in `slot` leaves the tree.
    mutating func forget(_ slot: Int32) {
        guard Int(slot) < marks.count else { return }
        serials[slot] = nil
        marks[Int(slot)] = Mark()
    }
}
