// The access to the directories above a container's items, as it is saved.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The access to a container's directory and to those above it, as bytes that are equal in the next process if the
/// access is. Restricted callers then see the same items as before.
enum SavedAncestorAccess {
    /// The limit of saved bytes. Only paths of thousands of directories with large access lists exceed it.
    static let largest = 32 << 10

    /// Returns the bytes; empty if the access is unknown. Empty bytes never count as equal.
    static func bytes(above: [FileAccess]?, root: FileAccess) -> [UInt8] {
        guard let above else { return [] }
        var bytes: [UInt8] = []
        for access in above + [root] {
            guard access.accessList != .unknown else { return [] }
            let list = AccessLists.bytes(of: access.accessList)
            append(access.owner, to: &bytes)
            append(access.group, to: &bytes)
            append(access.mode, to: &bytes)
            append(UInt32(truncatingIfNeeded: list.count), to: &bytes)
            bytes += list
            guard bytes.count <= largest else { return [] }
        }
        return bytes
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    // MARK: As text

    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        bytes.isEmpty
            ? "-" : String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns the bytes of ``text(_:)``; nil for other text.
    static func bytes(text: Substring) -> [UInt8]? {
        if text == "-" { return [] }
        let digits = text.utf8.map { SavedAncestorAccess.digits.firstIndex(of: $0) }
        guard digits.count.isMultiple(of: 2), digits.count <= 2 * largest, !digits.contains(nil) else { return nil }
        let values = digits.compactMap { $0 }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
