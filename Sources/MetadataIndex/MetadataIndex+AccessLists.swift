// Items whose access control lists are not known.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension MetadataIndex {
    /// Whether there may be items whose access control lists could not be read or kept. It begins with the first that comes,
    /// and ends when ``lookForAccessLists()`` finds none.
    package var lacksAccessLists: Bool { storage.lacksAccessLists }

    /// Looks whether there still are such items, and returns whose. Complexity: O(rows), where there were any.
    @discardableResult
    package func lookForAccessLists() -> Set<UInt32> { storage.lookForAccessLists() }

    /// Whose such items are. Complexity: O(rows), where there may be any.
    package var ownersLackingAccessLists: Set<UInt32> { storage.rows.ownersLackingAccessLists }

    /// Such items of some owners from a row on, the root among them, and where to go on; nil at the end.
    /// Complexity: O(rows).
    package func rowsLackingAccessLists(
        from first: Row, atMost limit: Int, of owners: Set<UInt32>
    ) -> (rows: [Row], next: Row?) {
        storage.rows.lackingAccessLists(from: first.number, atMost: limit, of: owners)
    }

    /// Takes back what is kept of combinations of owner, group, mode, device and access list that no row has any more, where
    /// there are many: whoever owns a file can make some with each chmod(2). To be called when a change set was taken and
    /// written to the journal. Complexity: O(1), and O(rows) once in as many combinations as were in use then.
    package func tidyCombinations() {
        guard storage.hasManyCombinations else { return }
        _ = storage.tidyCombinations()
    }

    /// Whether it names access lists, so that it has a part in their sweeps.
    package var keepsAccessLists: Bool { storage.rows.lease != nil }

    /// Its part of a sweep of access lists (``AccessLists/beginSweep()``): keeps those that rows have and, as far as they are
    /// allowed, those that only the log of changes has, which forgets the others. Where there are changes that were not taken
    /// it keeps all that it had. Complexity: O(rows), 4 ns each.
    package func sweepAccessLists(_ allowance: inout AccessListAllowance) {
        guard keepsAccessLists, storage.tidyCombinations() else { return }
        storage.keepLists(&allowance)
    }
}

extension IndexStorage {
    mutating func lookForAccessLists() -> Set<UInt32> {
        guard lacksAccessLists else { return [] }
        let owners = rows.ownersLackingAccessLists
        lacksAccessLists = !owners.isEmpty
        // The next that comes is to be noticed.
        lastCommon = nil
        return owners
    }
}

extension RowStore {
    /// The owners of rows whose access control lists are not known. Complexity: O(rows).
    var ownersLackingAccessLists: Set<UInt32> {
        guard common.contains(where: { $0.accessList == .unknown }) else { return [] }
        return Set(zip(common, usedCombinations()).lazy.filter { $0.accessList == .unknown && $1 }.map(\.0.owner))
    }

    /// See ``MetadataIndex/rowsLackingAccessLists(from:atMost:of:)``.
    func lackingAccessLists(
        from first: UInt32, atMost limit: Int, of owners: Set<UInt32>
    ) -> (rows: [Row], next: Row?) {
        let isWanted = common.map { $0.accessList == .unknown && owners.contains($0.owner) }
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
