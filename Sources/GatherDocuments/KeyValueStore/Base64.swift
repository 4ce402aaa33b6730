// Base64 (RFC 4648), without Foundation.
// SPDX-License-Identifier: Apache-2.0

/// Base64 with padding.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    /// The number of each digit; 255 for other bytes.
    private static let numbers: [UInt8] = {
        var numbers = [UInt8](repeating: 255, count: 256)
        for (number, digit) in alphabet.enumerated() { numbers[Int(digit)] = UInt8(number) }
        return numbers
    }()

    /// Returns whether a byte is a digit or padding.
    static func isDigit(_ byte: UInt8) -> Bool { numbers[Int(byte)] != 255 || byte == padding }

    /// Appends the text of these bytes.
    package static func append(_ data: [UInt8], to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (data.count + 2) / 3 * 4)
        var index = 0
        while index < data.count {
            let rest = data.count - index
            let group =
                UInt32(data[index]) << 16 | (rest > 1 ? UInt32(data[index + 1]) << 8 : 0)
                | (rest > 2 ? UInt32(data[index + 2]) : 0)
            text.append(alphabet[Int(group >> 18)])
            text.append(alphabet[Int(group >> 12 & 63)])
            text.append(rest > 1 ? alphabet[Int(group >> 6 & 63)] : padding)
            text.append(rest > 2 ? alphabet[Int(group & 63)] : padding)
            index += 3
        }
    }

    /// Returns the bytes of a text; nil if it is not what ``append(_:to:)`` writes.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let padded = text.suffix(2).reversed().prefix { $0 == padding }.count
        var data: [UInt8] = []
        data.reserveCapacity(text.count / 4 * 3)
        var (group, digits) = (UInt32(0), 0)
        for byte in text.dropLast(padded) {
            let number = numbers[Int(byte)]
            guard number != 255 else { return nil }
            group = group << 6 | UInt32(number)
            digits += 1
            guard digits == 4 else { continue }
            data += [UInt8(group >> 16 & 255), UInt8(group >> 8 & 255), UInt8(group & 255)]
            (group, digits) = (0, 0)
        }
        switch (digits, padded) {
        case (0, 0): return data
        case (2, 2): return group & 15 == 0 ? data + [UInt8(group >> 4 & 255)] : nil
        case (3, 1): return group & 3 == 0 ? data + [UInt8(group >> 10 & 255), UInt8(group >> 2 & 255)] : nil
        default: return nil
        }
    }
}
