// A text operator with its compiled constant.
// SPDX-License-Identifier: Apache-2.0

/// A comparison of text with a constant, compiled once and tried on many texts: the constant is folded, and wildcards
/// and regular expressions are compiled.
///
/// The texts are bytes that need not be valid UTF-8, such as file names. Exact operators compare the bytes. `?` of LIKE
/// and `.` of MATCHES take a byte that is not UTF-8 as one character, and folding leaves it unchanged.
package struct TextPattern: Sendable, Hashable {
    package let operation: Comparison.Operator
    package let options: TextOptions
    /// The constant as it is written in the predicate.
    package let text: String

    private let folding: TextFolding
    private let kernel: Kernel
    /// The folded constant, or the literal that LIKE is equivalent to.
    private let needle: [UInt8]
    /// The places where the constant may not be cut, for IN.
    private let cuts: [Int]
    private let like: LikePattern?
    /// The regular expression of MATCHES; nil for other operators.
    package let regularExpression: RegularExpression?

    /// The kind of comparison without its operands. Switching on payloads would count references for each text.
    fileprivate enum Kernel: Sendable, Hashable {
        case nothing, everything
        case whole, notWhole, prefix, suffix, infix
        case less, lessOrEqual, greater, greaterOrEqual
        /// The text is a part of the constant: text IN 'constant'.
        case within
        case like
        case regularExpression
    }

    /// Compiles a pattern. Throws if the constant is no regular expression, and for BETWEEN, which takes two values.
    package init(
        _ operation: Comparison.Operator, _ text: String, options: TextOptions = []
    ) throws(EvaluationError) {
        self.operation = operation
        self.options = options
        self.text = text
        folding = TextFolding(options)
        let folded = folding.fold(text)
        var needle = folded.bytes
        var like: LikePattern?
        var regularExpression: RegularExpression?
        switch operation {
        case .equal: kernel = .whole
        case .notEqual: kernel = .notWhole
        case .less: kernel = .less
        case .lessOrEqual: kernel = .lessOrEqual
        case .greater: kernel = .greater
        case .greaterOrEqual: kernel = .greaterOrEqual
        // No text contains, begins with or ends with the empty text.
        case .beginsWith: kernel = needle.isEmpty ? .nothing : .prefix
        case .endsWith: kernel = needle.isEmpty ? .nothing : .suffix
        case .contains: kernel = needle.isEmpty ? .nothing : .infix
        case .in: kernel = .within
        case .like:
            let pattern = LikePattern(text, folding: folding)
            if pattern.matchesEverything {
                kernel = .everything
            } else if let literal = pattern.requiredLiteral, literal.isSufficient {
                kernel = Kernel(literal.place)
                needle = literal.bytes
            } else {
                kernel = .like
                like = pattern
            }
        case .matches:
            kernel = .regularExpression
            regularExpression = try RegularExpression(text, options: options)
        case .between: throw EvaluationError("BETWEEN compares with two values")
        case .conformsTo, .sameType: throw EvaluationError("\(operation.rawValue) compares content types")
        }
        self.needle = needle
        cuts = folded.cuts
        self.like = like
        self.regularExpression = regularExpression
    }

    /// The literal that every matching text has; nil where there is none, as under `[c]` and `[d]`, which match
    /// several.
    package var requiredLiteral: RequiredLiteral? {
        guard folding.isIdentity else { return nil }
        switch kernel {
        case .whole: return RequiredLiteral(.whole, needle, isSufficient: true)
        case .prefix: return RequiredLiteral(.prefix, needle, isSufficient: true)
        case .suffix: return RequiredLiteral(.suffix, needle, isSufficient: true)
        case .infix: return RequiredLiteral(.infix, needle, isSufficient: true)
        default: return like?.requiredLiteral
        }
    }

    /// The ASCII text that every matching text has after ``folded(_:_:)``; nil where there is none. Under `[c]`, `[d]`
    /// and `[n]` a text matches by its folded form. These options treat marks in different ways, but marks are never
    /// ASCII.
    package var foldedLiteral: RequiredLiteral? {
        let literal: RequiredLiteral?
        switch kernel {
        case .whole: literal = RequiredLiteral(.whole, needle, isSufficient: true)
        case .prefix: literal = RequiredLiteral(.prefix, needle, isSufficient: true)
        case .suffix: literal = RequiredLiteral(.suffix, needle, isSufficient: true)
        case .infix: literal = RequiredLiteral(.infix, needle, isSufficient: true)
        case .regularExpression: literal = regularExpression?.requiredLiteral
        default: literal = like?.requiredLiteral
        }
        guard let literal else { return nil }
        let bytes = literal.bytes
        guard let run = bytes.split(whereSeparator: { $0 >= 0x80 }).max(by: { $0.count < $1.count }) else { return nil }
        let place: RequiredLiteral.Place =
            switch literal.place {
            case .whole where run.count == bytes.count: .whole
            case .whole, .prefix:
                run.startIndex == 0
                    ? .prefix : literal.place == .whole && run.endIndex == bytes.count ? .suffix : .infix
            case .suffix: run.endIndex == bytes.count ? .suffix : .infix
            case .infix: .infix
            }
        return RequiredLiteral(place, run.map(\.asciiLowercased), isSufficient: false)
    }

    /// Lends a text without case and accents, for ``foldedLiteral``.
    package static func folded<Result>(
        _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        if UTF8Scalars.isASCII(text) {
            return withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { lowered in
                for index in text.indices { lowered[index] = text[index].asciiLowercased }
                return body(UnsafeRawBufferPointer(lowered))
            }
        }
        return TextFolding([.caseInsensitive, .diacriticInsensitive]).fold(text).bytes.withUnsafeBytes(body)
    }

    /// Whether no text matches, as for BEGINSWITH ''.
    package var matchesNothing: Bool { kernel == .nothing }

    /// Whether every text matches, as for LIKE '*'.
    package var matchesEverything: Bool { kernel == .everything }

    /// Whether a match may take as long as the product of the lengths of text and pattern. A LIKE that is equivalent to
    /// a literal does not.
    package var goesBack: Bool { kernel == .like }

    /// Whether texts are folded before they are compared, as under `[c]` and `[d]`. Text that is not ASCII takes long
    /// then.
    package var folds: Bool { !folding.isIdentity }

    /// Whether a text matches. Only MATCHES throws, where the expression takes more work than ``PredicateLimits``
    /// allow. Allocates nothing without options, nor for short ASCII texts with them.
    package func matches(_ text: UnsafeRawBufferPointer) throws(EvaluationError) -> Bool {
        if let regularExpression { return try regularExpression.matches(text) }
        if folding.isIdentity { return test(RawSubject(bytes: text)) }
        if UTF8Scalars.isASCII(text) {
            guard folding.foldsCase else { return test(RawSubject(bytes: text)) }
            return withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { lowered in
                for index in text.indices { lowered[index] = text[index].asciiLowercased }
                return test(RawSubject(bytes: UnsafeRawBufferPointer(lowered)))
            }
        }
        let folded = folding.fold(text)
        return folded.bytes.withUnsafeBytes { bytes in
            folding.composes
                ? test(RawSubject(bytes: bytes)) : test(FoldedSubject(bytes: bytes, cuts: folded.cuts))
        }
    }

    /// Whether a string matches.
    package func matches(_ text: String) throws(EvaluationError) -> Bool {
        var text = text
        let result: Result<Bool, EvaluationError> = text.withUTF8 { bytes in
            do throws(EvaluationError) {
                return .success(try matches(UnsafeRawBufferPointer(bytes)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func test(_ subject: some PatternSubject) -> Bool {
        if kernel == .like { return like?.matches(subject) ?? false }
        return needle.withUnsafeBytes { needle in
            switch kernel {
            case .nothing, .like, .regularExpression: return false
            case .everything: return true
            case .whole: return subject.has(needle, .whole)
            case .notWhole: return !subject.has(needle, .whole)
            case .prefix: return subject.has(needle, .prefix)
            case .suffix: return subject.has(needle, .suffix)
            case .infix: return subject.has(needle, .infix)
            case .less: return ByteSearch.compare(subject.bytes, needle) < 0
            case .lessOrEqual: return ByteSearch.compare(subject.bytes, needle) <= 0
            case .greater: return ByteSearch.compare(subject.bytes, needle) > 0
            case .greaterOrEqual: return ByteSearch.compare(subject.bytes, needle) >= 0
            case .within:
                guard !subject.bytes.isEmpty else { return false }
                return folding.foldsCase || folding.dropsMarks
                    ? FoldedSubject(bytes: needle, cuts: cuts).has(subject.bytes, .infix)
                    : RawSubject(bytes: needle).has(subject.bytes, .infix)
            }
        }
    }
}

extension TextPattern.Kernel {
    fileprivate init(_ place: RequiredLiteral.Place) {
        switch place {
        case .whole: self = .whole
        case .prefix: self = .prefix
        case .suffix: self = .suffix
        case .infix: self = .infix
        }
    }
}
