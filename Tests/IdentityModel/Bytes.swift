// File names and paths as Linux has them: bytes, which need not be UTF-8.
// SPDX-License-Identifier: Apache-2.0

package typealias Bytes = [UInt8]

extension [UInt8] {
    package init(_ text: String) { self = [UInt8](text.utf8) }

    /// The path of an entry of this directory.
    package func entry(_ name: Bytes) -> Bytes { self + [UInt8(ascii: "/")] + name }

    /// Printable, on one line, and short.
    package var shown: String {
        var text = ""
        var index = 0
        while index < count {
            var end = index
            while end < count, self[end] == self[index] { end += 1 }
            let unit =
                (0x20..<0x7F).contains(self[index])
                ? String(UnicodeScalar(self[index])) : "\\x" + String(self[index], radix: 16)
            text += end - index > 9 ? "\(unit){\(end - index)}" : String(repeating: unit, count: end - index)
            index = end
        }
        return text
    }
}
