// Whether there are archives, without which no query has to look for one around an item.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension IndexStorage {
    /// Notes the name of a row.
    @inline(__always)
    mutating func noteArchive(_ name: UnsafeRawBufferPointer) {
        if name.first == UInt8(ascii: "."), ArchiveName.isName(name) { rows.hasArchives = true }
    }

    /// Finds the archives among restored rows. Complexity: O(rows), less than a nanosecond each.
    mutating func findArchives() {
        for storage in rows.blocks {
            let block = storage.block
            for slot in 0..<block.header.pointee.used where block.isLive(slot) && block.fileKind(slot).isDirectory {
                noteArchive(block.nameBytes(slot))
            }
            if rows.hasArchives { return }
        }
    }

    // MARK: Invariants, for tests

    /// Returns the first thing about archives that is not as it must be.
    func checkArchives() -> String? {
        for row in 1..<slots.slotCount where rows.isLive(row) && rows.withName(row, { ArchiveName.isName($0) }) {
            if !rows.hasArchives { return "row \(row) is an archive, and there are said to be none" }
        }
        return nil
    }
}
