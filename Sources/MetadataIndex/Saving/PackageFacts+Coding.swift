// What is kept of packages, as bytes.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension PackageFacts {
    /// The bytes that one takes at least.
    static let smallestCode = 8 + 8 + 8 + 1
    /// Stands for accesses that are not told.
    private static let untold = UInt8.max

    /// Appends the directory's own size and times, and what decides who may do what within.
    func append(to bytes: inout [UInt8]) {
        bytes.append(number: size)
        bytes.append(number: modified)
        bytes.append(number: changed)
        guard let accesses, accesses.count <= PackageFacts.mostAccesses else {
            return bytes.append(PackageFacts.untold)
        }
        bytes.append(UInt8(truncatingIfNeeded: accesses.count))
        // In one order, so that what is the same is written the same.
        let codes = accesses.map { access in
            var code: [UInt8] = []
            CommonAttributes(access).append(to: &code)
            return code
        }
        for code in codes.sorted(by: { $0.lexicographicallyPrecedes($1) }) { bytes += code }
    }

    init(from reader: inout ByteReader) throws(SavedStateError) {
        size = try reader.number(Int64.self)
        modified = try reader.number(Int64.self)
        changed = try reader.number(Int64.self)
        let count = try reader.number(UInt8.self)
        guard count != PackageFacts.untold else {
            accesses = nil
            return
        }
        guard Int(count) <= PackageFacts.mostAccesses else { throw .malformed("a package") }
        var found: Set<FileAccess> = []
        for _ in 0..<count { found.insert(try CommonAttributes(from: &reader).access) }
        accesses = found
    }
}

extension CommonAttributes {
    fileprivate init(_ access: FileAccess) {
        device = 0
        (owner, group, accessList, mode) = (access.owner, access.group, access.accessList, access.mode)
    }
}
