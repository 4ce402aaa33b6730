// Encodes records of the journal.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Encodes the records of one loop iteration, to be appended to the segment with one write.
package struct JournalEncoder {
    /// The bytes to be appended.
    package private(set) var bytes: [UInt8] = []
    private let seed: UInt64
    private let largestRecord: Int
    // Buffers for the record that is being made, kept for their memory.
    private var commonNumbers: [UInt32: UInt32] = [:]
    private var common: [UInt32] = []
    private var xattrs = SharedXattrs()
    private var lists = SnapshotAccessLists()

    /// A record of more bytes than this is not written: to save the index anew is cheaper.
    package static let largestRecord = JournalFormat.largestRecord

    /// Records for the segment with this header.
    package init(_ header: JournalSegmentHeader, largestRecord: Int = JournalEncoder.largestRecord) {
        seed = JournalFormat.seed(header)
        self.largestRecord = largestRecord
    }

    /// Forgets the appended records.
    package mutating func removeAll() {
        if bytes.capacity > 2 << 20 { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
    }

    /// A record without rows. `clock` is the index's, or of ``JournalRecord/Kind/floor`` the generation.
    package mutating func append(
        _ kind: JournalRecord.Kind, sequence: UInt64, epoch: UInt64 = 0, clock: UInt64 = 0, note: [UInt8] = []
    ) {
        let start = begin(kind, sequence, epoch, clock)
        bytes += note
        end(start)
    }

    /// Appends the changes of an index: the set that was just taken from it. False, and nothing is written, where it is
    /// too large, or the index's items are detached: then the index must be saved anew.
    package mutating func append(_ set: borrowing ChangeSet, of index: MetadataIndex, sequence: UInt64) -> Bool {
        guard set.count <= JournalFormat.largestSet, !index.isDetached else { return false }
        let start = begin(.changes, sequence, index.epoch, set.clock)
        guard append(set, of: index.storage), bytes.count - start <= largestRecord else {
            bytes.removeSubrange(start...)
            return false
        }
        end(start)
        return true
    }

    private mutating func begin(_ kind: JournalRecord.Kind, _ sequence: UInt64, _ epoch: UInt64, _ clock: UInt64) -> Int
    {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: JournalFormat.frameSize))
        bytes.append(number: kind.rawValue)
        bytes.append(number: sequence)
        bytes.append(number: epoch)
        bytes.append(number: clock)
        return start
    }

    private mutating func end(_ start: Int) {
        let payload = start + JournalFormat.frameSize
        let length = UInt32(truncatingIfNeeded: bytes.count - payload)
        let checksum = bytes.withUnsafeBytes {
            Checksum.of(UnsafeRawBufferPointer(rebasing: $0[payload...]), seed: seed)
        }
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: length.littleEndian, toByteOffset: start, as: UInt32.self)
            $0.storeBytes(of: (~length).littleEndian, toByteOffset: start + 4, as: UInt32.self)
            $0.storeBytes(of: checksum.littleEndian, toByteOffset: start + 8, as: UInt64.self)
        }
    }

    /// The slots that were ever given out, the rows with their number and length, then the access lists, the combinations and
    /// the extended attributes that they name. False, with a part of them, where that is more than a record may have.
    private mutating func append(_ set: borrowing ChangeSet, of storage: borrowing IndexStorage) -> Bool {
        let start = bytes.count
        defer { xattrs = SharedXattrs() }
        commonNumbers.removeAll(keepingCapacity: true)
        common.removeAll(keepingCapacity: true)
        lists.removeAll()
        bytes.append(number: storage.slots.slotCount)
        bytes.append(number: UInt32(truncatingIfNeeded: set.count))
        let lengthAt = bytes.count
        bytes.append(number: UInt32(0))
        for change in set.changes {
            append(change, of: set.preImages, storage.rows)
            // A record that will be thrown away is not finished. There are no more access lists than fit
            // (`AccessLists.maximumBytes`).
            guard bytes.count - start + xattrs.recordBytes <= largestRecord else { return false }
        }
        let length = UInt32(truncatingIfNeeded: bytes.count - lengthAt - 4)
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: length.littleEndian, toByteOffset: lengthAt, as: UInt32.self) }
        for number in common { _ = lists.number(of: storage.rows.common[Int(number)].accessList) }
        lists.append(to: &bytes)
        bytes.append(number: UInt32(truncatingIfNeeded: common.count))
        for number in common { storage.rows.common[Int(number)].append(to: &bytes, &lists) }
        bytes.append(number: UInt32(truncatingIfNeeded: xattrs.count))
        for xattrs in xattrs { xattrs.append(to: &bytes) }
        return true
    }

    private mutating func append(
        _ change: ChangeSet.Change, of preImages: borrowing PreImageStore, _ rows: borrowing RowStore
    ) {
        bytes.append(number: change.row)
        let isLive = rows.isLive(change.row)
        let at = bytes.count
        bytes.append(isLive ? JournalFormat.Presence.current : 0)
        let block = rows.block(change.row)
        let slot = RowStore.slot(change.row)
        if change.preImage != ChangeSet.noPreImage {
            let record = preImages.record(change)
            bytes[at] |= JournalFormat.Presence.preImage
            append(record.values, record.generation, record.parent)
            appendXattrs(record.xattrs > XattrTable.empty ? preImages.xattrs(record) : nil, record.xattrs)
            if record.values.kind == .package { append(preImages.package(record), record.values) }
            preImages.withName(record) { append(name: $0) }
            if let count = preImages.conflicts(record) {
                bytes[at] |= JournalFormat.Presence.conflicts
                bytes.append(number: count.beside)
                bytes.append(number: count.inside)
            }
            if isLive, block.generation[slot] == record.generation {
                let isSame = preImages.withName(record) { $0.elementsEqual(block.nameBytes(slot)) }
                if isSame { bytes[at] |= JournalFormat.Presence.sameName }
            }
        }
        guard isLive else { return bytes.append(number: block.generation[slot]) }
        append(block.values(slot), block.generation[slot], block.parent[slot])
        let xattrs = block.xattrs(slot)
        appendXattrs(xattrs > XattrTable.empty ? rows.xattrList[xattrs] : nil, xattrs)
        if block.fileKind(slot) == .package { append(rows.packages[change.row], block.values(slot)) }
        if bytes[at] & JournalFormat.Presence.sameName == 0 { append(name: block.nameBytes(slot)) }
    }

    private mutating func append(name: UnsafeRawBufferPointer) {
        bytes.append(number: UInt16(truncatingIfNeeded: name.count))
        bytes.append(contentsOf: name)
    }

    private mutating func append(_ values: RowValues, _ generation: UInt32, _ parent: UInt32) {
        let common = local(values.common)
        // In one piece: sixteen small appends cost twice as much.
        withUnsafeTemporaryAllocation(byteCount: SnapshotRow.size, alignment: 8) { buffer in
            buffer.storeBytes(of: values.size.littleEndian, toByteOffset: 0, as: Int64.self)
            buffer.storeBytes(of: values.created.littleEndian, toByteOffset: 8, as: Int64.self)
            buffer.storeBytes(of: values.modified.littleEndian, toByteOffset: 16, as: Int64.self)
            buffer.storeBytes(of: values.changed.littleEndian, toByteOffset: 24, as: Int64.self)
            buffer.storeBytes(of: values.inode.littleEndian, toByteOffset: 32, as: UInt64.self)
            buffer.storeBytes(of: generation.littleEndian, toByteOffset: 40, as: UInt32.self)
            buffer.storeBytes(of: parent.littleEndian, toByteOffset: 44, as: UInt32.self)
            buffer.storeBytes(of: common.littleEndian, toByteOffset: 48, as: UInt32.self)
            buffer.storeBytes(of: values.links.littleEndian, toByteOffset: 52, as: UInt32.self)
            buffer[56] = values.kind.rawValue
            bytes.append(contentsOf: UnsafeRawBufferPointer(buffer))
        }
    }

    /// A package that was not settled yet is presented with its own values.
    private mutating func append(_ package: PackageFacts?, _ values: RowValues) {
        let own = PackageFacts(size: values.size, modified: values.modified, changed: values.changed)
        (package ?? own).append(to: &bytes, &lists)
    }

    private mutating func appendXattrs(_ list: ExtraAttributes?, _ number: UInt32) {
        guard let list else { return bytes.append(number: number) }
        bytes.append(number: xattrs.place(of: list) + 2)
    }

    private mutating func local(_ number: UInt32) -> UInt32 {
        // Neighbours share it.
        if let last = common.last, last == number { return UInt32(truncatingIfNeeded: common.count - 1) }
        if let known = commonNumbers[number] { return known }
        let local = UInt32(truncatingIfNeeded: common.count)
        common.append(number)
        commonNumbers[number] = local
        return local
    }
}
