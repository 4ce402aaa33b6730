// The extended attributes of an index, each record kept once.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Counts the rows of each record of an ``XattrList`` and finds records by contents, so that each is kept once and unused
/// ones are freed. Growth moves only a small part at a time (``RowTable``), since a million files may have a million
/// records.
struct XattrTable: ~Copyable {
    /// The extended attributes of the row were not read.
    static let unknown: UInt32 = 0
    /// The row has no extended attributes.
    static let empty: UInt32 = 1

    private let hasher: NameHash
    private var numbers = RowTable()
    private var counts: [UInt32] = [0, 0]
    private var free: [UInt32] = []

    init(hasher: NameHash) { self.hasher = hasher }

    /// The table of records that so many rows have each; those that none has are let go.
    init(counts: [UInt32], hasher: NameHash, in list: inout XattrList) {
        self.hasher = hasher
        self.counts = counts
        for number in 2..<max(2, list.count) {
            let number = UInt32(truncatingIfNeeded: number)
            if counts[Int(number)] > 0 {
                file(number, list)
            } else {
                list[number] = .none
                free.append(number)
            }
        }
    }

    /// The number of a record, counted once more.
    mutating func retain(_ xattrs: ExtraAttributes?, in list: inout XattrList) -> UInt32 {
        guard let xattrs else { return XattrTable.unknown }
        if xattrs.isEmpty { return XattrTable.empty }
        if let number = numbers.find(hash(xattrs), where: { list[$0] == xattrs }) {
            counts[Int(number)] += 1
            return number
        }
        let number: UInt32
        if let last = free.popLast() {
            number = last
            list[number] = xattrs
            counts[Int(number)] = 1
        } else {
            number = UInt32(list.count)
            list.append(xattrs)
            counts.append(1)
        }
        file(number, list)
        return number
    }

    /// Whether a record is there.
    func contains(_ xattrs: ExtraAttributes, in list: XattrList) -> Bool {
        xattrs.isEmpty || numbers.find(hash(xattrs), where: { list[$0] == xattrs }) != nil
    }

    /// Counts a record once less.
    mutating func release(_ number: UInt32, in list: inout XattrList) {
        guard number > XattrTable.empty else { return }
        counts[Int(number)] -= 1
        if counts[Int(number)] > 0 { return }
        // A saved index may name an empty record, which is not in the table.
        if !list[number].isEmpty { numbers.remove(hash(list[number]), number) }
        list[number] = .none
        free.append(number)
    }

    private mutating func file(_ number: UInt32, _ list: XattrList) {
        if list[number].isEmpty { return }
        let hash = hash(list[number])
        if numbers.needsRoom(for: hash) {
            let hasher = hasher
            numbers.makeRoom(for: hash) { XattrTable.hash(list[$0], hasher) }
        }
        numbers.add(hash, number)
    }

    private func hash(_ xattrs: ExtraAttributes) -> UInt64 { XattrTable.hash(xattrs, hasher) }

    private static func hash(_ xattrs: ExtraAttributes, _ hasher: NameHash) -> UInt64 {
        xattrs.bytes.withUnsafeBytes { hasher.hash(parent: 0, name: $0) }
    }

    /// How many rows have each record; index 0 and 1 are not counted.
    var useCounts: [UInt32] { counts }
    /// Bytes held; the records themselves are not counted.
    var byteCount: Int { counts.capacity * 4 + free.capacity * 4 + numbers.byteCount }
}
