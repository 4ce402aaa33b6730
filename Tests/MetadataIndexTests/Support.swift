// Short ways to say in tests what an index is asked.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import TestSupport

@testable import MetadataIndex

extension FileStatus {
    static func sample(
        _ kind: FileKind, inode: UInt64 = 1, size: Int64 = 0, links: UInt32 = 1, device: UInt64 = 7,
        created: Timestamp? = nil
    ) -> FileStatus {
        FileStatus(
            kind: kind, mode: kind.isDirectory ? 0o755 : 0o644, size: size, created: created,
            modified: Timestamp(nanoseconds: size), changed: Timestamp(nanoseconds: size), owner: 1_000, group: 100,
            links: links, inode: inode, device: device)
    }
}

extension MetadataIndex {
    func insert(_ name: String, below parent: Row, _ status: FileStatus) throws -> Row {
        let bytes = Array(name.utf8)
        return try bytes.withUnsafeBytes { try insert(parent: parent, name: $0, status: status) }
    }

    func move(_ row: Row, to parent: Row, _ name: String) throws {
        let bytes = Array(name.utf8)
        try bytes.withUnsafeBytes { try move(row, to: parent, name: $0) }
    }

    func child(_ name: String, of parent: Row) -> Row? {
        let bytes = Array(name.utf8)
        return bytes.withUnsafeBytes { child(of: parent, named: $0) }
    }
}

extension RowReader where Self: ~Copyable {
    func path(of row: Row) -> String {
        var bytes: [UInt8] = []
        appendPath(of: row, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension MetadataIndex {
    func insertChildren(
        of parent: Row, _ names: [UInt8], _ lengths: [UInt16], _ statuses: [FileStatus], recording: Bool,
        into rows: inout [Row]
    ) throws {
        try names.withUnsafeBytes { names in
            try lengths.withUnsafeBufferPointer { lengths in
                try statuses.withUnsafeBufferPointer { statuses in
                    try insertChildren(
                        of: parent, names: names, lengths: lengths, statuses: statuses, recording: recording,
                        into: &rows)
                }
            }
        }
    }

    /// Adds files by name and returns their rows.
    func insertFiles(_ names: [String], below parent: Row, recording: Bool = true) throws -> [Row] {
        var rows: [Row] = []
        try insertChildren(
            of: parent, names.flatMap { Array($0.utf8) }, names.map { UInt16($0.utf8.count) },
            names.map { _ in .sample(.file) }, recording: recording, into: &rows)
        return rows
    }

    /// Every row number that was ever given out, but the root's.
    var allRows: [Row] { (1..<storage.slots.slotCount).map { Row($0) } }
}

/// The values that replace a byte of a damaged file. Under a sanitizer (`Packaging/dev/sanitize`) one value in place of six, which saves a sixth of
/// its time: the fuzz targets go through the same readers under the same sanitizer.
func damages(_ generator: inout SeededGenerator) -> [UInt8] {
    let random = UInt8.random(in: 0...255, using: &generator)
    return getenv("ASAN_OPTIONS") == nil ? [0, 1, 0x2F, 0x7F, 0xFF, random] : [random]
}

extension RowStore {
    /// Returns the rows of an index whose root holds files with these names: row 1 and so on.
    static func files(_ names: [String]) throws -> RowStore {
        let index = MetadataIndex(root: .sample(.directory))
        _ = try index.insertFiles(names, below: .root)
        return index.storage.rows
    }

    /// Gives a row another size.
    mutating func resize(_ row: UInt32, to size: Int64) {
        var values = values(row)
        values.size = size
        writable(row).setValues(RowStore.slot(row), values)
    }
}
