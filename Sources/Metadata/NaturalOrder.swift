// Natural order as bytes.
// SPDX-License-Identifier: Apache-2.0

/// Natural order as bytes.
enum NaturalOrder {
    /// Comes before everything that can stand in its place.
    static let end: UInt8 = 0

    /// Appends text so that digits count as numbers and case does not count. A number is a `0`, how many digits it has
    /// without leading zeros, and these; so it stands among other characters where digits do. An end follows.
    static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
        var place = 0
        while place < text.count {
            let byte = text[place]
            guard isDigit(byte) else {
                append(escaping: isCapital(byte) ? byte | 0x20 : byte, to: &bytes)
                place += 1
                continue
            }
            var start = place
            while place < text.count, isDigit(text[place]) { place += 1 }
            while start < place - 1, text[start] == UInt8(ascii: "0") { start += 1 }
            bytes.append(UInt8(ascii: "0"))
            // 255 bytes hold the number of digits in steps of 254: a larger number of digits has more full steps.
            var count = place - start
            while count >= 255 {
                bytes.append(255)
                count -= 254
            }
            bytes.append(UInt8(truncatingIfNeeded: count))
            bytes.append(contentsOf: text[start..<place])
        }
        bytes.append(end)
    }

    /// Appends a byte so that it is not taken for an end.
    static func append(escaping byte: UInt8, to bytes: inout [UInt8]) {
        if byte <= 1 { bytes.append(1) }
        bytes.append(byte == 0 ? 1 : byte == 1 ? 2 : byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    private static func isCapital(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
}
