// Folds case, accents and normal forms of text.
// SPDX-License-Identifier: Apache-2.0

/// Folds text so that texts that compare equal have equal bytes.
///
/// `c` and `d` decompose canonically first, so that composed and decomposed spellings are equal. `d` then drops
/// combining marks after base characters below U+0510 (Latin, Greek, Cyrillic); kana voicing marks, Arabic and Hebrew
/// points stay, as in the open CoreFoundation. `c` folds case in full (sharp s is ss), without a locale. `n` only
/// composes (NFC). Bytes that are not UTF-8 stay.
package struct TextFolding: Sendable, Hashable {
    let foldsCase: Bool
    let dropsMarks: Bool
    let composes: Bool

    init(_ options: TextOptions) {
        composes = options.contains(.normalized)
        foldsCase = !composes && options.contains(.caseInsensitive)
        dropsMarks = !composes && options.contains(.diacriticInsensitive)
    }

    /// Whether folding leaves every text unchanged.
    var isIdentity: Bool { !foldsCase && !dropsMarks && !composes }

    /// Folds bytes that need not be UTF-8.
    func fold(_ bytes: UnsafeRawBufferPointer) -> FoldedText {
        if isIdentity || (UTF8Scalars.isASCII(bytes) && !foldsCase) { return FoldedText(bytes: Array(bytes)) }
        if UTF8Scalars.isASCII(bytes) { return FoldedText(bytes: bytes.map(\.asciiLowercased)) }
        var folder = TextFolder(self, capacity: bytes.count + bytes.count / 2)
        var index = 0
        while index < bytes.count {
            if let (scalar, length) = UTF8Scalars.decode(bytes, at: index) {
                folder.append(scalar)
                index += length
            } else {
                folder.appendInvalid(bytes[index])
                index += 1
            }
        }
        return folder.finish()
    }

    /// Returns a text canonically decomposed, without the marks that `d` drops.
    package static func withoutMarks(_ text: String) -> String {
        String(decoding: TextFolding(.diacriticInsensitive).fold(text).bytes, as: UTF8.self)
    }

    /// Folds a string.
    func fold(_ text: String) -> FoldedText {
        var text = text
        return text.withUTF8 { fold(UnsafeRawBufferPointer($0)) }
    }
}

/// Folded text. A match may begin and end only where it cuts no character: not before a combining mark, and not inside
/// the folded form of one character.
struct FoldedText {
    var bytes: [UInt8]
    /// Places inside the folded form of one scalar, ascending: sharp s gives `ss` and the place between. Usually empty.
    var cuts: [Int] = []
}

/// Collects scalars: decomposes, brings marks into canonical order, then drops, folds or composes.
struct TextFolder {
    private let folding: TextFolding
    private var text: FoldedText
    /// The base character and its marks that are not yet written, with their combining classes.
    private var pending: [(scalar: UInt32, order: UInt8)] = []
    private var isSorted = true

    init(_ folding: TextFolding, capacity: Int) {
        self.folding = folding
        text = FoldedText(bytes: [])
        text.bytes.reserveCapacity(capacity)
    }

    mutating func append(_ scalar: UInt32) {
        if scalar < 0x80 {
            flush()
            pending.append((scalar, 0))
        } else if let parts = Hangul.decompose(scalar) {
            for part in parts where part != 0 { appendDecomposed(part) }
        } else if let parts = FoldingTables.decompositions.mapping(of: scalar) {
            for part in parts { appendDecomposed(part) }
        } else {
            appendDecomposed(scalar)
        }
    }

    mutating func appendInvalid(_ byte: UInt8) {
        flush()
        text.bytes.append(byte)
    }

    mutating func finish() -> FoldedText {
        flush()
        return text
    }

    private mutating func appendDecomposed(_ scalar: UInt32) {
        let order = CombiningMarks.order(of: scalar)
        // Hangul vowels, Hangul finals and spacing marks have class 0 but may still compose with the preceding
        // character.
        if order == 0, !(folding.composes && composesBackwards(scalar)) {
            // A mark of class 0 stays in the run of its base, so that `d` sees it.
            if pending.isEmpty || !CombiningMarks.isMark(scalar) { flush() }
        }
        if let last = pending.last, last.order > order, order != 0 { isSorted = false }
        pending.append((scalar, order))
    }

    private func composesBackwards(_ scalar: UInt32) -> Bool {
        Hangul.isVowelOrFinal(scalar) || CombiningMarks.isMark(scalar)
    }

    /// Writes the pending characters.
    private mutating func flush() {
        guard !pending.isEmpty else { return }
        if !isSorted { sortMarks() }
        if folding.composes {
            compose()
        } else {
            let drops = folding.dropsMarks && pending[0].scalar < 0x510 && !CombiningMarks.isMark(pending[0].scalar)
            write(pending[0].scalar)
            if !drops { for (scalar, _) in pending.dropFirst() { write(scalar) } }
        }
        pending.removeAll(keepingCapacity: true)
        isSorted = true
    }

    /// Orders each run of marks by combining class, keeping the order of equals (Unicode, D109).
    private mutating func sortMarks() {
        var start = 0
        while start < pending.count {
            guard pending[start].order != 0 else {
                start += 1
                continue
            }
            var end = start
            while end < pending.count, pending[end].order != 0 { end += 1 }
            let run = pending[start..<end].enumerated().sorted {
                ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
            }
            for (offset, item) in run.enumerated() { pending[start + offset] = item.element }
            start = end
        }
    }

    private mutating func write(_ scalar: UInt32) {
        guard folding.foldsCase else { return UTF8Scalars.append(scalar, to: &text.bytes) }
        if scalar < 0x80 { return text.bytes.append(UInt8(scalar).asciiLowercased) }
        guard let parts = FoldingTables.folds.mapping(of: scalar) else {
            return UTF8Scalars.append(scalar, to: &text.bytes)
        }
        for (offset, part) in parts.enumerated() {
            if offset > 0 { text.cuts.append(text.bytes.count) }
            UTF8Scalars.append(part, to: &text.bytes)
        }
    }

    /// Composes the pending run canonically and writes it (Unicode, D117).
    private mutating func compose() {
        var composed: [(scalar: UInt32, order: UInt8)] = []
        var starter: Int?
        for next in pending {
            let blocked = composed.last.map { last in
                composed.count - 1 != starter && (last.order == 0 || last.order >= next.order)
            }
            if let starter, blocked == false,
                let pair = Hangul.compose(composed[starter].scalar, next.scalar)
                    ?? FoldingTables.composition(of: composed[starter].scalar, next.scalar)
            {
                composed[starter].scalar = pair
                continue
            }
            if next.order == 0 { starter = composed.count }
            composed.append(next)
        }
        for (scalar, _) in composed { UTF8Scalars.append(scalar, to: &text.bytes) }
    }
}

extension FoldingTables {
    /// The primary composite of two scalars.
    static func composition(of first: UInt32, _ second: UInt32) -> UInt32? {
        compositionPairs.binarySearch(UInt64(first) << 32 | UInt64(second)).map { compositions[$0] }
    }
}

/// Answers questions about combining marks, quickly for scripts without them.
enum CombiningMarks {
    /// The canonical combining class.
    static func order(of scalar: UInt32) -> UInt8 {
        guard scalar >= 0x300, let scalar = Unicode.Scalar(scalar) else { return 0 }
        return scalar.properties.canonicalCombiningClass.rawValue
    }

    /// Whether the scalar is a combining mark: general category Mn, Mc or Me.
    static func isMark(_ scalar: UInt32) -> Bool {
        guard scalar >= 0x300, let scalar = Unicode.Scalar(scalar) else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}

/// Hangul syllables, composed and decomposed by arithmetic (Unicode, section 3.12).
enum Hangul {
    /// Leading consonant, vowel and final consonant (0 where there is none) of a syllable.
    static func decompose(_ scalar: UInt32) -> [UInt32]? {
        guard (0xAC00..<0xD7A4).contains(scalar) else { return nil }
        let index = scalar - 0xAC00
        let final = index % 28
        return [0x1100 + index / 588, 0x1161 + index % 588 / 28, final == 0 ? 0 : 0x11A7 + final]
    }

    static func compose(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if (0x1100..<0x1113).contains(first), (0x1161..<0x1176).contains(second) {
            return 0xAC00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28
        }
        if (0xAC00..<0xD7A4).contains(first), (first - 0xAC00) % 28 == 0, (0x11A8..<0x11C3).contains(second) {
            return first + (second - 0x11A7)
        }
        return nil
    }

    static func isVowelOrFinal(_ scalar: UInt32) -> Bool { (0x1160..<0x1200).contains(scalar) }
}
