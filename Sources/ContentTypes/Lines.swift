// The lines of the database's files.
// SPDX-License-Identifier: Apache-2.0

/// The lines of a file that are neither empty nor comments.
func meaningfulLines(of bytes: [UInt8]) -> some Sequence<Substring.UTF8View> {
    String(decoding: bytes, as: UTF8.self).utf8.split(separator: UInt8(ascii: "\n")).lazy
        .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        .filter { !$0.isEmpty && $0.first != UInt8(ascii: "#") }
}
