// The saved facts about packages, as bytes.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension PackageFacts {
    /// Stands for accesses that are not reported.
    private static let unreported = UInt8.max

    /// Appends the directory's own size and times, and the access rights within.
    func append(to bytes: inout [UInt8], _ lists: inout SnapshotAccessLists) {
        bytes.append(number: size)
        bytes.append(number: modified)
        bytes.append(number: changed)
        guard let accesses else { return bytes.append(PackageFacts.unreported) }
        bytes.append(UInt8(truncatingIfNeeded: accesses.count))
        accesses.forEach { access in
            bytes.append(number: access.owner)
            bytes.append(number: access.group)
            bytes.append(number: access.mode)
            bytes.append(number: lists.number(of: access.accessList))
        }
    }

    init(from reader: inout ByteReader, _ lists: SnapshotAccessLists) throws(RestoreError) {
        size = try reader.number(Int64.self)
        modified = try reader.number(Int64.self)
        changed = try reader.number(Int64.self)
        let count = try reader.number(UInt8.self)
        guard count != PackageFacts.unreported else {
            accesses = nil
            return
        }
        guard 1...AccessSet.mostAccesses ~= Int(count) else { throw .malformed("a package") }
        var found: Set<FileAccess> = []
        for _ in 0..<count {
            let (owner, group) = (try reader.number(UInt32.self), try reader.number(UInt32.self))
            let mode = try reader.number(UInt16.self)
            found.insert(
                FileAccess(
                    mode: mode, owner: owner, group: group, accessList: try lists.list(from: &reader)))
        }
        accesses = AccessSet(ofAnyBytes: found)
    }
}
