// A text that a pattern is tried on, and the boundaries of its characters.
// SPDX-License-Identifier: Apache-2.0

/// A text that a pattern is tried on.
protocol PatternSubject {
    var bytes: UnsafeRawBufferPointer { get }
    /// The place after the character at a place in the text.
    func next(_ place: Int) -> Int
    /// Whether a place lies between characters.
    func isBoundary(_ place: Int) -> Bool
}

extension PatternSubject {
    /// Whether the text has these bytes at a place, without cutting a character.
    func has(_ literal: UnsafeRawBufferPointer, _ place: RequiredLiteral.Place) -> Bool {
        switch place {
        case .whole: return ByteSearch.isEqual(bytes, literal)
        case .prefix: return ByteSearch.hasPrefix(bytes, literal) && isBoundary(literal.count)
        case .suffix: return ByteSearch.hasSuffix(bytes, literal) && isBoundary(bytes.count - literal.count)
        case .infix:
            var start = 0
            while let found = ByteSearch.find(literal, in: bytes, from: start) {
                if isBoundary(found), isBoundary(found + literal.count) { return true }
                start = found + 1
            }
            return false
        }
    }
}

/// Unfolded text; its characters are code points.
struct RawSubject: PatternSubject {
    let bytes: UnsafeRawBufferPointer

    func next(_ place: Int) -> Int { place + UTF8Scalars.length(bytes, at: place) }

    // A literal has whole code points, and UTF-8 finds those at code point boundaries only.
    func isBoundary(_ place: Int) -> Bool { true }
}

/// Folded text; its characters are the code points of the original text, with the marks that follow each.
struct FoldedSubject: PatternSubject {
    let bytes: UnsafeRawBufferPointer
    let cuts: [Int]

    func next(_ place: Int) -> Int {
        var place = place + UTF8Scalars.length(bytes, at: place)
        while place < bytes.count, !isBoundary(place) { place += UTF8Scalars.length(bytes, at: place) }
        return place
    }

    func isBoundary(_ place: Int) -> Bool {
        guard place > 0, place < bytes.count else { return true }
        if !cuts.isEmpty, cuts.binarySearch(place) != nil { return false }
        guard bytes[place] >= 0x80, let (scalar, _) = UTF8Scalars.decode(bytes, at: place) else {
            // ASCII, or a byte that is not UTF-8. Places inside a code point are never asked for.
            return true
        }
        return !CombiningMarks.isMark(scalar) && !Hangul.isVowelOrFinal(scalar)
    }
}
