// The entries of a crawled directory, all at once.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension IndexStorage {
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
        guard slots.hasRoom(for: lengths.count), parked == nil else { throw .full }
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
