// The formats of files that can be imported.
// SPDX-License-Identifier: Apache-2.0

/// A format that can be imported.
package enum ImportFormat: String, Sendable, Hashable, CaseIterable {
    case json, todo
}

extension [UInt8] {
    /// The bytes without the byte order mark of UTF-8, which spreadsheets write.
    var withoutByteOrderMark: ArraySlice<UInt8> { starts(with: Self.byteOrderMark) ? dropFirst(3) : self[...] }

    static var byteOrderMark: [UInt8] { [0xEF, 0xBB, 0xBF] }
}
