// Who may pass the directories down to a container's items, as it is saved.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Who may pass the directories above a container, and its own, in bytes that mean the same in the next process. They are
/// only ever compared: where they are equal, callers who do not see everything see what they saw.
enum SavedPassage {
    /// More than this is not saved. Access lists of 64 KiB on directories 2,000 deep are possible, and nobody has them.
    static let largest = 32 << 10

    /// The bytes; none where that is not known, which equals nothing.
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

    /// Nil for what ``text(_:)`` does not make.
    static func bytes(text: Substring) -> [UInt8]? {
        if text == "-" { return [] }
        let digits = text.utf8.map { SavedPassage.digits.firstIndex(of: $0) }
        guard digits.count.isMultiple(of: 2), digits.count <= 2 * largest, !digits.contains(nil) else { return nil }
        let values = digits.compactMap { $0 }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
