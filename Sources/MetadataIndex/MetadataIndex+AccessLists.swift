// Items whose access control lists are unknown.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension MetadataIndex {
    /// Whether some items may have access control lists that could not be read or kept. Becomes true with the first such item,
    /// and false when ``lookForAccessLists()`` finds none.
    package var lacksAccessLists: Bool { storage.attributes.lacksAccessLists }

    /// Scans for such items and returns their owners. Complexity: O(rows) if there were any.
    @discardableResult
    package func lookForAccessLists() -> Set<UInt32> { storage.lookForAccessLists() }

    /// Whose such items are. Complexity: O(rows), where there may be any.
    package var ownersLackingAccessLists: Set<UInt32> { storage.rows.ownersLackingAccessLists }

    /// Returns such items of some owners from a row on, including the root, and the row to continue from; nil at the end.
    /// Complexity: O(rows).
    package func rowsLackingAccessLists(
        from first: Row, atMost limit: Int, of owners: Set<UInt32>
    ) -> (rows: [Row], next: Row?) {
        storage.rows.lackingAccessLists(from: first.number, atMost: limit, of: owners)
    }

    /// Frees combinations of owner, group, mode, device and access list that no row has any more, where there are many. The
    /// owner of a file can make one with each chmod(2). Call it when a change set was taken and written to the journal.
    /// Complexity: O(1), and O(rows) once per as many new combinations as were in use then.
    package func tidyAttributes() {
        guard storage.attributes.isFull(in: storage.rows) else { return }
        _ = storage.tidyAttributes()
    }

    /// Whether it names access lists, so that it has a part in their sweeps.
    package var keepsAccessLists: Bool { storage.rows.lease != nil }

    /// Its part of a sweep of access lists (``AccessLists/beginSweep()``): keeps those that rows have and, as far as they are
    /// allowed, those that only the log of changes has, which forgets the others. Where there are changes that were not taken
    /// it keeps all that it had. Complexity: O(rows), 4 ns each.
    package func sweepAccessLists(_ allowance: inout AccessListAllowance) {
        guard keepsAccessLists, storage.tidyAttributes() else { return }
        storage.keepLists(&allowance)
    }
}

extension IndexStorage {
    mutating func lookForAccessLists() -> Set<UInt32> { attributes.lookForAccessLists(in: rows) }

    /// Which numbers of combinations rows have, those of detached rows too.
    var usedAttributes: [Bool] {
        var used = rows.usedAttributes()
        guard let detached = detachedContent?.content.rows.usedAttributes() else { return used }
        for place in detached.indices where detached[place] { used[place] = true }
        return used
    }

    /// Takes back the numbers of combinations that no row has any more. Does nothing and returns false if there are changes that
    /// were not taken. Complexity: O(rows), 4 ns each, and O(combinations).
    mutating func tidyAttributes() -> Bool {
        // Open changes use numbers until they are in the log, and a package may name lists that no row within has any more.
        guard recorder.open.isEmpty, !hasUnsettled else { return false }
        attributes.takeBack(unlessIn: usedAttributes, of: rows)
        return true
    }

    /// Takes a lease for the access lists that rows have, right after a scan for them, and for those that the change log
    /// names. The log drops segments that name more than allowed. All other lists may be freed.
    mutating func keepLists(_ allowance: inout AccessListAllowance) {
        guard rows.lease != nil else { return }
        let lease = AccessLists.lease()
        // Found before the table of lists is locked, which all threads need.
        let lists = attributes.keptLists
        AccessLists.keep(lists)
        var isNamed = !lists.isEmpty
        recorder.shortenLog { past in
            let isKept = AccessLists.keep(past: past.map(\.accessList), under: lease, allowance: &allowance)
            if isKept { isNamed = true }
            return isKept
        }
        rows.lease = isNamed ? lease : nil
        detachedContent?.content.rows.lease = rows.lease
    }
}

extension RowStore {
    /// The owners of rows whose access control lists are unknown. Complexity: O(rows).
    var ownersLackingAccessLists: Set<UInt32> {
        guard common.contains(where: { $0.accessList == .unknown }) else { return [] }
        return Set(zip(common, usedAttributes()).lazy.filter { $0.accessList == .unknown && $1 }.map(\.0.owner))
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
