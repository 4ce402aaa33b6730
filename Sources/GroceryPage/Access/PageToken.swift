// The secret in the link of the page.
// SPDX-License-Identifier: Apache-2.0

/// The secret that a browser needs to open a list.
package struct PageToken: Sendable, Hashable {
    /// The bytes of a new token.
    static let byteCount = 24
    /// The fewest characters of a token that is read from a file.
    static let fewestCharacters = 20

    /// The secret, in letters and digits of Base64 for addresses (RFC 4648, section 5).
    package let text: String

    /// Takes over a token, such as one that a file keeps. Returns nil for one that is too short or has other characters.
    package init?(text: String) {
        guard text.utf8.count >= PageToken.fewestCharacters, text.utf8.count <= 4 * PageToken.fewestCharacters,
            text.utf8.allSatisfy({ PageToken.alphabet.contains($0) })
        else { return nil }
        self.text = text
    }

    private init(unchecked text: String) { self.text = text }

    /// Makes a token from the kernel's random numbers (getrandom(2)).
    package static func random() -> PageToken {
        var generator = SystemRandomNumberGenerator()
        // 6 bits for each character.
        let characters = (0..<byteCount * 8 / 6).map { _ in
            alphabet[Int(UInt8.random(in: 0..<64, using: &generator))]
        }
        return PageToken(unchecked: String(decoding: characters, as: UTF8.self))
    }

    /// Compares in a time that depends on the length of the other text only.
    package func matches(_ other: some StringProtocol) -> Bool {
        let (mine, theirs) = (Array(text.utf8), Array(other.utf8))
        var difference = UInt8(mine.count == theirs.count ? 0 : 1)
        for (index, byte) in theirs.enumerated() { difference |= byte ^ mine[index % mine.count] }
        return difference == 0
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
