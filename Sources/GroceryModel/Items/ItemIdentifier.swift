// Identifiers of items: random UUIDs.
// SPDX-License-Identifier: Apache-2.0

/// The identifier of an item: a random UUID (RFC 9562, version 4) in upper case. The names of the item's files have it.
package struct ItemIdentifier: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The beginning of the names of items' files.
    package static let filePrefix = "Item_"
    private static let length = 36

    /// The text of the UUID.
    package let text: String

    /// Makes an identifier from its text: 36 characters, digits, letters and hyphens.
    package init?(text: some StringProtocol) {
        let bytes = text.utf8
        guard bytes.count == ItemIdentifier.length else { return nil }
        var index = 0
        for byte in bytes {
            let isHyphen = index == 8 || index == 13 || index == 18 || index == 23
            switch byte {
            case UInt8(ascii: "-"): guard isHyphen else { return nil }
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
                UInt8(ascii: "a")...UInt8(ascii: "f"):
                guard !isHyphen else { return nil }
            default: return nil
            }
            index += 1
        }
        // The letters stay as the file's name has them.
        self.text = String(text)
    }

    /// Makes the identifier of the item whose file has this name; nil for another file.
    package init?(fileName: some StringProtocol) {
        // Bytes, since characters take several times as long for a list of 10,000 items.
        let (bytes, prefix) = (fileName.utf8, ItemIdentifier.filePrefix.utf8)
        guard bytes.count == ItemIdentifier.length + prefix.count, bytes.starts(with: prefix) else { return nil }
        self.init(text: fileName[bytes.index(bytes.startIndex, offsetBy: prefix.count)...])
    }

    /// Returns a new identifier from the kernel's random numbers (getrandom(2)).
    package static func random() -> ItemIdentifier {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            let digits = String(byte, radix: 16, uppercase: true)
            text += digits.count == 1 ? "0" + digits : digits
        }
        return ItemIdentifier(unchecked: text)
    }

    private init(unchecked text: String) { self.text = text }

    /// The first eight characters, as people see them.
    package var short: String { String(text[..<text.utf8.index(text.startIndex, offsetBy: 8)]) }
    /// The name of the item's file.
    package var fileName: String { ItemIdentifier.filePrefix + text }
    /// The text.
    package var description: String { text }

    package static func < (a: ItemIdentifier, b: ItemIdentifier) -> Bool { a.text < b.text }
}
