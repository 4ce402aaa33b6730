// Extended attributes in a list, those that share their bytes once.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Extended attributes by their places in a list. The index stores each record once, so thousands of rows may name one record of
/// 4 KiB: it has one place, and counts once.
///
/// Records are identified by the address of their bytes, not by contents: hashing 4 KiB for each of 100,000 rows would block
/// the loop. Equal records at different addresses have separate places.
struct SharedXattrs: Sendable {
    private var list: [ExtraAttributes] = []
    /// Places by the address of the bytes, which is unique as long as the record stands in `list`.
    private var places: [UInt: UInt32] = [:]
    /// Roughly the bytes of the records.
    private(set) var recordBytes = 0

    /// The place of a record, which is added unless it is there. Complexity: O(1).
    mutating func place(of xattrs: ExtraAttributes) -> UInt32 {
        let address = xattrs.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        if let known = places[address] { return known }
        let place = UInt32(truncatingIfNeeded: list.count)
        list.append(xattrs)
        places[address] = place
        recordBytes += XattrList.cost(xattrs)
        return place
    }

    subscript(place: UInt32) -> ExtraAttributes { list[Int(place)] }

    var count: Int { list.count }

    /// Bytes held, roughly.
    var byteCount: Int { list.capacity * 8 + places.capacity * 16 + recordBytes }
}

extension SharedXattrs: Sequence {
    func makeIterator() -> IndexingIterator<[ExtraAttributes]> { list.makeIterator() }
}
