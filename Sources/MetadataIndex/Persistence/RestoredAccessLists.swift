// The access lists of an index on its way back.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The access lists of an index on its way back, each once, by handles that mean something here only. Rows had most of them for
/// a while: only those that are named at the end become lists of this process (``IndexRestorer/restoreLists()``).
struct RestoredAccessLists {
    /// Bytes that may come before it is looked which lists are named still, and bytes that only the past may name then: as much as
    /// it may have of all lists.
    static let pastBytes = AccessLists.maximumBytes / AccessListAllowance.part
    /// The memory of a list beside its bytes.
    private static let overhead = 128

    private var lists: [AccessListID: [UInt8]] = [:]
    private var handles: [[UInt8]: AccessListID] = [[]: .none, AccessLists.bytes(of: .unknown): .unknown]
    private var last = AccessListID.unknown.number
    /// The memory of all of them, and their memory after the last look.
    private(set) var byteCount = 0
    private var markedBytes = 0

    /// Whether so many came that it is time to look which are named still.
    var isTidyDue: Bool { byteCount > markedBytes + RestoredAccessLists.pastBytes }

    /// The handle of a list, which is not given again.
    mutating func list(_ bytes: [UInt8]) -> AccessListID {
        if let known = handles[bytes] { return known }
        guard last < .max else { return .unknown }
        last += 1
        let list = AccessListID(number: last)
        lists[list] = bytes
        handles[bytes] = list
        byteCount += size(of: list)
        return list
    }

    func bytes(of list: AccessListID) -> [UInt8] { lists[list] ?? AccessLists.bytes(of: .unknown) }

    /// Returns the memory of a list.
    func size(of list: AccessListID) -> Int { bytes(of: list).count + RestoredAccessLists.overhead }

    /// Lets go of all others.
    mutating func letGo(except named: Set<AccessListID>) {
        for (list, bytes) in lists where !named.contains(list) {
            byteCount -= size(of: list)
            lists[list] = nil
            handles[bytes] = nil
        }
        markedBytes = byteCount
    }
}
