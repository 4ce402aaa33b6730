// Natural order as byte order.
// SPDX-License-Identifier: Apache-2.0

/// Natural order as byte order.
enum NaturalOrder {
    /// The end of a text. It comes before every other byte.
    static let end: UInt8 = 0

    /// Appends text so that digits compare as numbers and case is ignored, then an end. A number is a `0`, the number
    /// of its digits without leading zeros, and these digits. So it has the place of a digit among other characters.
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
            // The number of digits is in steps of 254, each of them a byte 255. More digits have more full steps.
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

    /// Appends a byte that cannot be confused with an end.
    static func append(escaping byte: UInt8, to bytes: inout [UInt8]) {
        if byte <= 1 { bytes.append(1) }
        bytes.append(byte == 0 ? 1 : byte == 1 ? 2 : byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    private static func isCapital(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
}
