// A picture of 8 by 8 pixels.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments

/// A picture of 8 by 8 pixels, in 8 bytes: a byte for each row, whose highest bit is the pixel on the left.
struct Picture: DocumentContents {
    private(set) var bytes = [UInt8](repeating: 0, count: 8)

    init() {}
    init(bytes: [UInt8]) throws {
        guard bytes.count == 8 else { throw Failure("a picture has 8 bytes, and this file \(bytes.count)") }
        self.bytes = bytes
    }

    /// Inverts the pixel at a place: `a1` is the first in the first row, `h1` the last.
    mutating func toggle(_ place: Substring) throws {
        let letters = Array(place.utf8)
        guard letters.count == 2, (97...104).contains(letters[0]), (49...56).contains(letters[1]) else {
            throw Failure("'\(DisplayText.escaped(String(place)))' is no place: the first is a1, and the last h8")
        }
        bytes[Int(letters[1]) - 49] ^= 0x80 >> (letters[0] - 97)
    }

    func lines(on: String, off: String) -> [String] {
        bytes.map { row in (0..<8).map { row & 0x80 >> $0 == 0 ? off : on }.joined() }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
