// Items whose access control lists are not known.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension MetadataIndex {
    /// Whether there may be items whose access control lists could not be read or kept. It begins with the first that comes,
    /// and ends when ``lookForAccessLists()`` finds none.
    package var lacksAccessLists: Bool { storage.lacksAccessLists }

    /// Looks whether there still are such items. Complexity: O(rows), where there were any.
    package func lookForAccessLists() { storage.lookForAccessLists() }

    /// Such items from a row on whose owners are asked for, the root among them, and where to go on; nil at the end.
    /// Complexity: O(rows).
    package func rowsLackingAccessLists(
        from first: Row, atMost limit: Int, ofOwners isAskedFor: (UInt32) -> Bool
    ) -> (rows: [Row], next: Row?) {
        storage.rows.lackingAccessLists(from: first.number, atMost: limit, ofOwners: isAskedFor)
    }

    /// Takes back what is kept of combinations of owner, group, mode, device and access list that no row has any more, where
    /// there are many: whoever owns a file can make some with each chmod(2). To be called when a change set was taken and
    /// written to the journal. Complexity: O(1), and O(rows) once in as many combinations as were in use then.
    package func tidyCombinations() {
        guard storage.hasManyCombinations else { return }
        var allowance = AccessListAllowance()
        _ = storage.tidyCombinations(&allowance)
    }

    /// Its part of a sweep of access lists (``AccessLists/beginSweep()``): keeps those that rows have and, as far as they are
    /// allowed, those that only the log of changes has, which forgets the others. Where there are changes that were not taken
    /// it keeps all that it had. Complexity: O(rows), a nanosecond each.
    package func sweepAccessLists(_ allowance: inout AccessListAllowance) {
        guard storage.rows.lease != nil else { return }
        _ = storage.tidyCombinations(&allowance)
    }
}

extension IndexStorage {
    mutating func lookForAccessLists() {
        guard lacksAccessLists else { return }
        lacksAccessLists = rows.lacksAccessLists
        // The next that comes is to be noticed.
        lastCommon = nil
    }
}

extension RowStore {
    /// Whether a row's access control list is not known. Complexity: O(rows).
    var lacksAccessLists: Bool {
        guard common.contains(where: { $0.accessList == .unknown }) else { return false }
        return zip(common, usedCombinations()).contains { $0.accessList == .unknown && $1 }
    }
    /// See ``MetadataIndex/rowsLackingAccessLists(from:atMost:ofOwners:)``.
    func lackingAccessLists(
        from first: UInt32, atMost limit: Int, ofOwners isAskedFor: (UInt32) -> Bool
    ) -> (rows: [Row], next: Row?) {
        let isWanted = common.map { $0.accessList == .unknown && isAskedFor($0.owner) }
        guard isWanted.contains(true) else { return ([], nil) }
        var found: [Row] = []
        for number in RowStore.block(first)..<max(RowStore.block(first), blocks.count) {
            let storage = blocks[number]
            for word in 0..<Block.words {
                var bits = storage.block.isLive[word]
                while bits != 0 {
                    let slot = word << 6 | bits.trailingZeroBitCount
                    bits &= bits &- 1
                    let row = UInt32(truncatingIfNeeded: number << 12 | slot)
                    guard isWanted[Int(storage.block.common[slot])], row >= first else { continue }
                    if found.count == limit { return (found, Row(row)) }
                    found.append(Row(row))
                }
            }
            withExtendedLifetime(storage) {}
        }
        return (found, nil)
    }
}
