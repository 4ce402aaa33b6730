// A text operator with its constant made ready to be tried on many texts.
// SPDX-License-Identifier: Apache-2.0

/// A comparison of text with a constant, made ready once to be tried on many texts: the constant is folded, wildcards are
/// compiled, regular expressions too.
///
/// The texts are bytes and need not be valid UTF-8, as file names: exact operators compare the bytes, `?` of LIKE takes a
/// byte that is not UTF-8 as one character, folding leaves it as it is, and MATCHES is false for such a text.
package struct TextPattern: Sendable, Hashable {
    package let operation: Comparison.Operator
    package let options: TextOptions
    /// The constant as it stands in the predicate.
    package let text: String

    private let folding: TextFolding
    private let kernel: Kernel

    private indirect enum Kernel: Sendable, Hashable {
        case nothing
        case everything
        case literal(RequiredLiteral, negated: Bool)
        /// `<`, `<=`, `>`, `>=` in this order.
        case less([UInt8]), lessOrEqual([UInt8]), greater([UInt8]), greaterOrEqual([UInt8])
        /// The text lies inside the constant: text IN 'constant'.
        case within(FoldedConstant)
        case like(LikePattern)
        case regularExpression(RegularExpression)
    }

    private struct FoldedConstant: Sendable, Hashable {
        let bytes: [UInt8]
        let cuts: [Int]
    }

    /// Makes a pattern ready. Throws where the constant is no regular expression, and for BETWEEN, which takes two values.
    package init(
        _ operation: Comparison.Operator, _ text: String, options: TextOptions = []
    ) throws(EvaluationError) {
        self.operation = operation
        self.options = options
        self.text = text
        folding = TextFolding(options)
        let folded = folding.fold(text)
        func literal(_ place: RequiredLiteral.Place, negated: Bool = false) -> Kernel {
            // Nothing contains, begins with or ends with the empty text: searching for it finds nothing.
            if folded.bytes.isEmpty, place != .whole { return .nothing }
            return .literal(RequiredLiteral(place, folded.bytes, isSufficient: true), negated: negated)
        }
        switch operation {
        case .equal: kernel = literal(.whole)
        case .notEqual: kernel = literal(.whole, negated: true)
        case .less: kernel = .less(folded.bytes)
        case .lessOrEqual: kernel = .lessOrEqual(folded.bytes)
        case .greater: kernel = .greater(folded.bytes)
        case .greaterOrEqual: kernel = .greaterOrEqual(folded.bytes)
        case .beginsWith: kernel = literal(.prefix)
        case .endsWith: kernel = literal(.suffix)
        case .contains: kernel = literal(.infix)
        case .in: kernel = .within(FoldedConstant(bytes: folded.bytes, cuts: folded.cuts))
        case .like:
            let pattern = LikePattern(text, folding: folding)
            if pattern.matchesEverything {
                kernel = .everything
            } else if let literal = pattern.asLiteral {
                kernel = .literal(literal, negated: false)
            } else {
                kernel = .like(pattern)
            }
        case .matches: kernel = .regularExpression(try RegularExpression(text, options: options))
        case .between: throw EvaluationError("BETWEEN compares with two values")
        }
    }

    /// The literal that every matching text has; nil where there is none, as under `[c]` and `[d]`, which match several.
    package var requiredLiteral: RequiredLiteral? {
        guard folding.isIdentity else { return nil }
        switch kernel {
        case .literal(let literal, negated: false): return literal
        case .like(let pattern): return pattern.requiredLiteral
        default: return nil
        }
    }

    /// Whether no text matches, as for BEGINSWITH ''.
    package var matchesNothing: Bool { kernel == .nothing }

    /// Whether every text matches, as for LIKE '*'.
    package var matchesEverything: Bool { kernel == .everything }

    /// Whether a text matches. Only MATCHES throws, where the expression takes more work than
    /// ``PredicateLimits`` allow. Allocates nothing without options, nor with them for short ASCII texts.
    package func matches(_ text: UnsafeRawBufferPointer) throws(EvaluationError) -> Bool {
        switch kernel {
        case .nothing: return false
        case .everything: return true
        case .regularExpression(let expression): return try expression.matches(text)
        default: break
        }
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
        switch kernel {
        case .nothing, .regularExpression: return false
        case .everything: return true
        case .literal(let literal, let negated):
            return literal.bytes.withUnsafeBytes { subject.has($0, literal.place) } != negated
        case .less(let bytes): return order(subject, bytes) < 0
        case .lessOrEqual(let bytes): return order(subject, bytes) <= 0
        case .greater(let bytes): return order(subject, bytes) > 0
        case .greaterOrEqual(let bytes): return order(subject, bytes) >= 0
        case .within(let constant):
            guard !subject.bytes.isEmpty else { return false }
            return constant.bytes.withUnsafeBytes { bytes in
                folding.foldsCase || folding.dropsMarks
                    ? FoldedSubject(bytes: bytes, cuts: constant.cuts).has(subject.bytes, .infix)
                    : RawSubject(bytes: bytes).has(subject.bytes, .infix)
            }
        case .like(let pattern):
            return pattern.matches(subject.bytes, next: subject.next, isBoundary: subject.isBoundary)
        }
    }

    private func order(_ subject: some PatternSubject, _ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { ByteSearch.compare(subject.bytes, $0) }
    }
}
