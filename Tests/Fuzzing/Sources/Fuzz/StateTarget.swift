// The reader of saved state: the state that it takes hangs together, and is written and read back the same.
// SPDX-License-Identifier: Apache-2.0

import Metadata

@testable import MetadataIndex

enum StateTarget: FuzzTarget {
    /// A journal may have an index grow by millions of rows, which takes a second: that is known, and finds nothing.
    private static let largestRow: UInt32 = 16_384

    /// The bytes of a snapshot, and of a segment of the journal behind it if there is one. Checksums would keep all that is
    /// made up from being read, so they are made to fit.
    static func test(_ bytes: UnsafeRawBufferPointer) {
        // The lists of an earlier reading belong to no index.
        AccessLists.beginSweep()
        var snapshot = Array(bytes)
        var journal: [UInt8] = []
        if let start = lastJournal(in: bytes) {
            journal = Array(bytes[start...])
            snapshot.removeSubrange(start...)
            reseal(journal: &journal)
        }
        reseal(snapshot: &snapshot)
        guard let restorer = try? SnapshotReader(snapshot).restorer(), apply(journal, to: restorer),
            let index = try? restorer.finish()
        else { return }
        check(index)
        walkThroughThePast(of: index)

        let written = saved(index)
        let again: MetadataIndex
        do { again = try SnapshotReader(written).restorer().finish() } catch { fatalError("not read back: \(error)") }
        check(again)
        expect(again.epoch == index.epoch && again.clock == index.clock, "another clock")
        expect(rows(of: again) == rows(of: index), "other rows")
        expect(saved(again) == written, "written otherwise")
        if index.isDetached {
            expect(index.attachAll() && again.attachAll(), "nothing was detached")
            check(index)
            expect(rows(of: again) == rows(of: index), "other rows were detached")
        }
    }

    /// Applies as much of a journal as can be read; false where what was read cannot be.
    private static func apply(_ journal: [UInt8], to restorer: IndexRestorer) -> Bool {
        journal.withUnsafeBytes { bytes in
            guard var reader = try? JournalReader(bytes) else { return true }
            while let record = try? reader.next() {
                if record.kind == .changes, record.body.count >= 4,
                    UInt32(littleEndian: record.body.loadUnaligned(as: UInt32.self)) > largestRow
                {
                    return false
                }
                guard (try? restorer.apply(record)) != nil else { return false }
            }
            return true
        }
    }

    private static func check(_ index: MetadataIndex) {
        if let failure = index.checkInvariants() { fatalError(failure) }
    }

    /// The past may be nonsense, but it ends.
    private static func walkThroughThePast(of index: MetadataIndex) {
        guard let set = index.changes(since: index.earliestClock) else { return }
        let view = set.preImageView(in: index.snapshot())
        for at in 0..<set.count {
            _ = set.transition(at: at, in: index)
            guard set.hasPreImage(at: at) else { continue }
            let row = set.row(at: at)
            _ = path(of: row, in: view)
            _ = view.depth(of: row)
            _ = view.isWithin(row, Row(1))
            _ = view.status(of: row)
            _ = view.xattrs(of: row)
        }
    }

    private static func saved(_ index: MetadataIndex) -> [UInt8] {
        var bytes: [UInt8] = []
        SnapshotWriter(index.image()).write { bytes.append(contentsOf: $0) }
        return bytes
    }

    private struct Entry: Hashable {
        var row: Row
        var identifier: ItemIdentifier?
        var path: [UInt8]
        var status: FileStatus
        var xattrs: ExtraAttributes?
    }

    private static func rows(of index: MetadataIndex) -> [Entry] {
        (0..<index.storage.slots.slotCount).map { Row($0) }.filter(index.isLive).map {
            Entry(
                row: $0, identifier: index.identifier(of: $0), path: path(of: $0, in: index),
                status: index.status(of: $0),
                xattrs: index.xattrs(of: $0))
        }
    }

    private static func path(of row: Row, in reader: borrowing some RowReader & ~Copyable) -> [UInt8] {
        var path: [UInt8] = []
        reader.appendPath(of: row, to: &path)
        return path
    }

    // MARK: Checksums

    private static func lastJournal(in bytes: UnsafeRawBufferPointer) -> Int? {
        var at = bytes.count - 8
        while at >= 0 {
            if number(bytes, at, UInt64.self) == JournalFormat.magic { return at }
            at -= 1
        }
        return nil
    }

    private static func reseal(snapshot bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { bytes in
            var offset = SnapshotFormat.preambleSize
            var ordinal: UInt64 = 0
            while offset + SnapshotFormat.frameSize <= bytes.count {
                let whole = UnsafeRawBufferPointer(bytes)
                let kind = number(whole, offset, UInt32.self)
                guard let end = reseal(bytes, offset, seed: UInt64(kind) << 32 | ordinal, lengthAt: 4) else { return }
                offset = end
                ordinal += 1
            }
        }
    }

    private static func reseal(journal bytes: inout [UInt8]) {
        guard bytes.count >= JournalFormat.headerSize else { return }
        bytes.withUnsafeMutableBytes { bytes in
            let whole = UnsafeRawBufferPointer(bytes)
            let headerEnd = JournalFormat.headerSize - 8
            let sum = Checksum.of(UnsafeRawBufferPointer(rebasing: whole[..<headerEnd]))
            bytes.storeBytes(of: sum.littleEndian, toByteOffset: headerEnd, as: UInt64.self)
            let seed = number(whole, 24, UInt64.self) &+ number(whole, 16, UInt64.self)
            var offset = JournalFormat.headerSize
            while offset + JournalFormat.frameSize <= bytes.count {
                let length = number(whole, offset, UInt32.self)
                bytes.storeBytes(of: (~length).littleEndian, toByteOffset: offset + 4, as: UInt32.self)
                guard let end = reseal(bytes, offset, seed: seed, lengthAt: 0) else { return }
                offset = end
            }
        }
    }

    /// Makes the checksum of one frame fit, and returns where it ends; nil where it is cut.
    private static func reseal(_ bytes: UnsafeMutableRawBufferPointer, _ offset: Int, seed: UInt64, lengthAt: Int)
        -> Int?
    {
        let whole = UnsafeRawBufferPointer(bytes)
        let start = offset + 16
        let length = Int(number(whole, offset + lengthAt, UInt32.self))
        guard length <= bytes.count - start else { return nil }
        let sum = Checksum.of(UnsafeRawBufferPointer(rebasing: whole[start..<start + length]), seed: seed)
        bytes.storeBytes(of: sum.littleEndian, toByteOffset: offset + 8, as: UInt64.self)
        return start + length
    }

    private static func number<T: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _: T.Type) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}
