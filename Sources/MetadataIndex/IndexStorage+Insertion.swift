// How rows come: one by one, or the entries of a crawled directory at once.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension IndexStorage {
    /// Checks that children can be put below a row.
    @inline(__always)
    func checkDirectory(_ parent: UInt32) throws(IndexError) {
        guard rows.isLive(parent) else { throw .noSuchRow(Row(parent)) }
        guard rows.block(parent).isDirectory(RowStore.slot(parent)) else { throw .notADirectory(Row(parent)) }
    }

    mutating func insert(
        _ parent: UInt32, _ name: UnsafeRawBufferPointer, _ status: FileStatus
    ) throws(IndexError) -> UInt32 {
        try checkDirectory(parent)
        guard isValidName(name) else { throw .invalidName }
        let hash = names.hasher.hash(parent: parent, name: name)
        if let other = find(parent, name, hash) { throw .nameTaken(Row(other)) }
        let row = try allocate(for: status, named: name, in: parent).row
        recorder.recordInsertion(row)
        install(row, parent, name, status, hash, in: package(holding: parent))
        return row
    }

    /// Puts a new occupant into a row of a directory that a package holds, or none.
    @inline(__always)
    mutating func install(
        _ row: UInt32, _ parent: UInt32, _ name: UnsafeRawBufferPointer, _ status: FileStatus, _ hash: UInt64,
        in package: UInt32?
    ) {
        var values = RowValues(status, common: attributes.number(of: CommonAttributes(status), in: &rows))
        packages.enclose(row, &values, in: package, isNew: true)
        occupy(row, parent, name, values)
        file(row, hash)
        link(row, below: parent)
        if values.isFoundByInode { inodes.insert(row, rows) }
        packages.noteArrival(row, values, in: package, rows, versions)
    }

    /// Writes the columns of a new occupant, all but the links to its siblings.
    @inline(__always)
    mutating func occupy(
        _ row: UInt32, _ parent: UInt32, _ name: UnsafeRawBufferPointer, _ values: RowValues
    ) {
        let block = rows.writable(row)
        let slot = RowStore.slot(row)
        // The name first: it may lie in an arena that is let go here, and a row that is not live keeps no bytes.
        block.setName(slot, name, replacing: false)
        rows.noteArchive(name)
        block.parent[slot] = parent
        block.setValues(slot, values)
        block.setXattrs(slot, XattrTable.unknown)
        block.isLive[slot >> 6] |= 1 << UInt64(slot & 63)
        block.header.pointee.live += 1
        if values.kind.isDirectory {
            block.addDirectory(slot)
        }
        counts.add(isDirectory: values.kind.isDirectory)
        if slot == Block.capacity - 1 { block.trimNames() }
    }

    /// Inserts the entries of one directory; those that are there already are updated.
    mutating func insertChildren(
        _ parent: UInt32, names bytes: UnsafeRawBufferPointer, lengths: UnsafeBufferPointer<UInt16>,
        statuses: UnsafeBufferPointer<FileStatus>, recording: Bool, into result: inout [Row]
    ) throws(IndexError) {
        try checkDirectory(parent)
        guard lengths.count == statuses.count else { throw .malformedBatch }
        var total = 0
        for length in lengths { total += Int(length) }
        guard total == bytes.count else { throw .malformedBatch }
        var offset = 0
        for length in lengths {
            let name = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)])
            guard isValidName(name) else { throw .invalidName }
            offset += Int(length)
        }
        guard slots.hasRoom(for: lengths.count), detachedContent == nil else { throw .full }
        result.reserveCapacity(result.count + lengths.count)

        // Entries of a directory that is new in the open set are always recorded: a set must not hold a row whose directory
        // it does not hold.
        let recording = recording || recorder.isNew(parent, in: rows)
        let package = package(holding: parent)
        offset = 0
        var hashes = InlineArray<32, UInt64>(repeating: 0)
        for index in 0..<lengths.count {
            if index % hashes.count == 0 {
                var ahead = offset
                for next in index..<min(index + hashes.count, lengths.count) {
                    let name = UnsafeRawBufferPointer(rebasing: bytes[ahead..<ahead + Int(lengths[next])])
                    ahead += name.count
                    hashes[next % hashes.count] = names.hasher.hash(parent: parent, name: name)
                    names.touch(hashes[next % hashes.count])
                }
            }
            let name = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(lengths[index])])
            offset += name.count
            let hash = hashes[index % hashes.count]
            if let row = find(parent, name, hash) {
                _ = try update(row, statuses[index])
                result.append(Row(row))
                continue
            }
            let (row, isKnown) = try allocate(for: statuses[index], named: name, in: parent)
            // One that comes again went in a set.
            if recording || isKnown {
                recorder.recordInsertion(row)
            } else {
                recorder.noteUnrecorded()
            }
            install(row, parent, name, statuses[index], hash, in: package)
            result.append(Row(row))
        }
    }
}
