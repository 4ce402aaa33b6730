// Identifiers of items: random UUIDs.
// SPDX-License-Identifier: Apache-2.0

/// The identifier of an item, which is in its file's name: a random UUID (RFC 9562, version 4), in upper case.
struct ItemIdentifier: Sendable, Hashable {
    static let filePrefix = "Item_"

    let text: String

    init(text: String) { self.text = text }

    /// A new identifier. The system's generator is the kernel's randomness (getrandom(2)), in every process anew.
    static func random() -> ItemIdentifier {
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
        return ItemIdentifier(text: text)
    }

    /// The name of the item's file.
    var fileName: String { ItemIdentifier.filePrefix + text }
}
