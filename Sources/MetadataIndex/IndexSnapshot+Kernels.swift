// Scans of a block of rows at a time.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// A column of integers that a block can be scanned by. Dates are nanoseconds since 1970.
package enum IntegerColumn: Sendable, Hashable, CaseIterable {
    case size, created, modified, changed, inode, links, owner, group, mode, device

    /// Whether the numbers have no sign. Their constants and values are the integers with the same bits.
    package var isUnsigned: Bool { self == .inode || self == .device }
}

/// How a column's value is compared with a constant.
package enum IntegerComparison: Sendable, Hashable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// Where a literal must stand in a name.
package enum NameMatch: Sendable, Hashable, CaseIterable {
    case equal, prefix, suffix, infix
}

extension IndexSnapshot {
    /// The rows of a block that hold items; the root is none.
    package func liveRows(inBlock number: Int) -> BlockBitmap {
        let block = rows.blocks[number].block
        var bits = BlockBitmap()
        for word in 0..<Block.words { bits.words[word] = block.isLive[word] }
        if number == 0 { bits[0] = false }
        return bits
    }

    /// Keeps the rows whose value satisfies the comparison. A row without the value (an unknown birth time) is never kept.
    /// The constant of an unsigned column is the integer with the same bits.
    package func select(
        _ column: IntegerColumn, _ comparison: IntegerComparison, _ constant: Int64, inBlock number: Int,
        among bits: inout BlockBitmap
    ) {
        let block = rows.blocks[number].block
        switch column {
        case .size: IndexSnapshot.compare(block.size, comparison, constant, &bits)
        case .modified: IndexSnapshot.compare(block.modified, comparison, constant, &bits)
        case .changed: IndexSnapshot.compare(block.changed, comparison, constant, &bits)
        case .created:
            IndexSnapshot.compare(block.created, .notEqual, RowValues.noTime, &bits)
            IndexSnapshot.compare(block.created, comparison, constant, &bits)
        case .links:
            let links = block.links
            IndexSnapshot.keep(&bits) { Int64(links[$0]).compares(comparison, constant) }
        case .inode:
            let inode = block.inode
            let number = UInt64(bitPattern: constant)
            IndexSnapshot.keep(&bits) { inode[$0].compares(comparison, number) }
        case .owner: selectCommon(block, &bits) { Int64($0.owner).compares(comparison, constant) }
        case .group: selectCommon(block, &bits) { Int64($0.group).compares(comparison, constant) }
        case .mode: selectCommon(block, &bits) { Int64($0.mode).compares(comparison, constant) }
        case .device:
            selectCommon(block, &bits) { $0.device.compares(comparison, UInt64(bitPattern: constant)) }
        }
    }

    /// Keeps the rows whose birth time is known.
    package func selectCreatedKnown(inBlock number: Int, among bits: inout BlockBitmap) {
        let block = rows.blocks[number].block
        IndexSnapshot.compare(block.created, .notEqual, RowValues.noTime, &bits)
    }

    /// Keeps the rows of these kinds.
    package func select(kinds: some Sequence<FileKind>, inBlock number: Int, among bits: inout BlockBitmap) {
        var mask: UInt64 = 0
        for kind in kinds { mask |= 1 << UInt64(kind.rawValue) }
        let block = rows.blocks[number].block
        let column = block.kind
        IndexSnapshot.keep(&bits) { mask >> UInt64(column[$0]) & 1 != 0 }
    }

    /// Keeps the rows whose directory satisfies `matches`, which is called once for each run of rows with the same directory.
    package func select(
        directoryMatching matches: (Row) -> Bool, inBlock number: Int, among bits: inout BlockBitmap
    ) {
        let block = rows.blocks[number].block
        let parents = block.parent
        var last = Row.none
        var answer = false
        for word in 0..<Block.words {
            // Neighbours mostly have the same: a run of them is taken, or not, at once.
            var open = bits.words[word]
            var kept: UInt64 = 0
            while open != 0 {
                let first = open.trailingZeroBitCount
                let parent = parents[word << 6 | first]
                var end = first + 1
                while end < 64, open >> UInt64(end) & 1 != 0, parents[word << 6 | end] == parent { end += 1 }
                let run = UInt64.max << UInt64(first) & UInt64.max >> UInt64(64 - end)
                if parent != last {
                    last = parent
                    answer = matches(Row(parent))
                }
                if answer { kept |= run }
                open &= ~run
            }
            bits.words[word] = kept
        }
    }

    /// Keeps the rows whose owner (or group) satisfies `matches`, which is called once for each run of rows with the same
    /// owner, group, mode and device.
    package func select(
        groups: Bool, accountMatching matches: (UInt32) -> Bool, inBlock number: Int, among bits: inout BlockBitmap
    ) {
        let block = rows.blocks[number].block
        selectCommon(block, &bits) { matches(groups ? $0.group : $0.owner) }
    }

    /// Keeps the rows whose access rule satisfies `matches`, which is called once for each run of rows with the same rule.
    package func select(
        accessMatching matches: (FileAccess) -> Bool, inBlock number: Int, among bits: inout BlockBitmap
    ) {
        let block = rows.blocks[number].block
        selectCommon(block, &bits) { matches($0.access) }
    }

    /// Keeps the rows whose names have the literal at the requested place, compared byte by byte. Every name has an empty
    /// literal as prefix, suffix and infix.
    package func select(
        _ match: NameMatch, _ literal: UnsafeRawBufferPointer, inBlock number: Int, among bits: inout BlockBitmap
    ) {
        guard literal.count > 0 else {
            if match == .equal { bits = BlockBitmap() }
            return
        }
        guard literal.count <= FileNameLimits.mostBytes else {
            bits = BlockBitmap()
            return
        }
        let block = rows.blocks[number].block
        switch match {
        case .equal: block.keepNames(&bits, literal, atEnd: false, whole: true)
        case .prefix: block.keepNames(&bits, literal, atEnd: false, whole: false)
        case .suffix: block.keepNames(&bits, literal, atEnd: true, whole: false)
        case .infix: block.keepNames(&bits, containing: literal)
        }
    }

    /// Keeps at least the rows whose folded names have the literal at the requested place, and few others. The literal is
    /// lower-case ASCII.
    package func selectCandidates(
        _ match: NameMatch, folded literal: UnsafeRawBufferPointer, inBlock number: Int, among bits: inout BlockBitmap
    ) {
        guard literal.count > 0 else { return }
        let block = rows.blocks[number].block
        switch match {
        case .equal, .prefix: block.keepCandidates(&bits, literal, atEnd: false)
        case .suffix: block.keepCandidates(&bits, literal, atEnd: true)
        case .infix: block.keepCandidates(&bits, containing: literal)
        }
    }

    /// Keeps the rows whose names satisfy `matches`.
    package func select<E: Error>(
        namesMatching matches: (UnsafeRawBufferPointer) throws(E) -> Bool, inBlock number: Int,
        among bits: inout BlockBitmap
    ) throws(E) {
        let block = rows.blocks[number].block
        try bits.filter { (place) throws(E) in try matches(block.nameBytes(place)) }
    }

    /// Keeps the rows that satisfy `matches`, which receives the row's place in the block and its name.
    package func select<E: Error>(
        placesAndNamesMatching matches: (Int, UnsafeRawBufferPointer) throws(E) -> Bool, inBlock number: Int,
        among bits: inout BlockBitmap
    ) throws(E) {
        let block = rows.blocks[number].block
        try bits.filter { (place) throws(E) in try matches(place, block.nameBytes(place)) }
    }

    /// Keeps the rows for which `holds`, which is called only for rows that have conflict versions. `holdsForNone` is the
    /// answer for the others.
    package func select(
        conflictsMatching holds: (Row) -> Bool, holdsForNone: Bool, inBlock number: Int, among bits: inout BlockBitmap
    ) {
        var found = BlockBitmap()
        rows.conflicts.forEach(inBlock: number) { (row, _) in
            if bits[RowStore.slot(row)], holds(Row(row)) != holdsForNone { found[RowStore.slot(row)] = true }
        }
        if holdsForNone { bits.subtract(found) } else { bits = found }
    }

    /// Keeps the rows whose state `holds`. It is called once for the state of most rows, and for each row with another one.
    package func select<E: Error>(
        syncMatching holds: (SyncState) throws(E) -> Bool, inBlock number: Int, among bits: inout BlockBitmap
    ) throws(E) {
        let holdsForMost = try holds(rows.syncBase)
        var found = BlockBitmap()
        try rows.sync.forEach(inBlock: number) { (row, state) throws(E) in
            if bits[RowStore.slot(row)], try holds(state) != holdsForMost { found[RowStore.slot(row)] = true }
        }
        if holdsForMost { bits.subtract(found) } else { bits = found }
    }

    // MARK: Inner loops

    /// Keeps the places for which `body` holds. A full word is a loop without branches, which a processor runs at a
    /// place a cycle or so; others go from bit to bit.
    @inline(__always)
    static func keep(_ bits: inout BlockBitmap, _ body: (Int) -> Bool) {
        for word in 0..<64 {
            let asked = bits.words[word]
            if asked == 0 { continue }
            let base = word << 6
            var found: UInt64 = 0
            if asked.nonzeroBitCount >= 32 {
                // Every place of a block may be read; those that were never written are masked out.
                for place in 0..<64 { found |= (body(base | place) ? 1 : 0) << UInt64(place) }
                found &= asked
            } else {
                var rest = asked
                while rest != 0 {
                    let place = rest.trailingZeroBitCount
                    found |= (body(base | place) ? 1 : 0) << UInt64(place)
                    rest &= rest &- 1
                }
            }
            bits.words[word] = found
        }
    }

    @inline(__always)
    private static func compare(
        _ column: UnsafeMutablePointer<Int64>, _ comparison: IntegerComparison, _ constant: Int64,
        _ bits: inout BlockBitmap
    ) {
        // The comparison is chosen once, not for each row.
        switch comparison {
        case .equal: keep(&bits) { column[$0] == constant }
        case .notEqual: keep(&bits) { column[$0] != constant }
        case .less: keep(&bits) { column[$0] < constant }
        case .lessOrEqual: keep(&bits) { column[$0] <= constant }
        case .greater: keep(&bits) { column[$0] > constant }
        case .greaterOrEqual: keep(&bits) { column[$0] >= constant }
        }
    }

    /// Asks each combination of owner, group, mode and device that stands in the block once in a row of equal ones.
    private func selectCommon(_ block: Block, _ bits: inout BlockBitmap, _ body: (CommonAttributes) -> Bool) {
        var last = UInt32.max
        var answer = false
        bits.filter { place in
            let number = block.common[place]
            if number != last {
                last = number
                answer = body(rows.common[Int(number)])
            }
            return answer
        }
    }
}

extension FixedWidthInteger {
    @inline(__always)
    fileprivate func compares(_ comparison: IntegerComparison, _ constant: Self) -> Bool {
        switch comparison {
        case .equal: self == constant
        case .notEqual: self != constant
        case .less: self < constant
        case .lessOrEqual: self <= constant
        case .greater: self > constant
        case .greaterOrEqual: self >= constant
        }
    }
}
