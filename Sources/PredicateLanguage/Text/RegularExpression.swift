// MATCHES: PCRE2 with limits.
// SPDX-License-Identifier: Apache-2.0

import CPCRE2
import Synchronization

/// A compiled regular expression that has to match a whole text.
///
/// Anchoring at both ends is PCRE2's own, so every alternative is tried until one covers the text. The work for one
/// match is bounded by ``PredicateLimits``. Where the system allows it the expression runs as machine code; under
/// `MemoryDenyWriteExecute` it does not, and PCRE2's interpreter serves.
package final class RegularExpression: Sendable, Hashable {
    let text: String
    let options: TextOptions

    /// What every text that matches has; nil where nothing is known.
    let requiredLiteral: RequiredLiteral?
    /// The same in lower case; empty where nothing is known.
    private let required: [UInt8]
    private let folding: TextFolding
    /// Immutable once compiled; PCRE2 lets threads share it (pcre2api(3), "The compiled pattern"). Freed in deinit
    /// only.
    private nonisolated(unsafe) let code: OpaquePointer
    /// Immutable after init, and shared as the code is.
    private nonisolated(unsafe) let context: OpaquePointer
    /// The address of match data that nobody uses at the moment, or 0. They belong to whoever took it. One is kept: threads
    /// that match at once, which are few, make their own; a lock took longer than most matches.
    private let idle = Atomic<UInt>(0)
    /// Whether there is machine code.
    private let isNative: Bool

    /// What one match needs beside the expression, for one thread at a time.
    package struct MatchData: ~Copyable {
        fileprivate let pointer: OpaquePointer

        package init() throws(EvaluationError) {
            guard let pointer = pcre2_match_data_create_8(1, nil) else { throw EvaluationError("out of memory") }
            self.pointer = pointer
        }

        deinit { pcre2_match_data_free_8(pointer) }
    }

    init(_ text: String, options: TextOptions) throws(EvaluationError) {
        self.text = text
        self.options = options
        // Where marks are dropped or composed, what stands behind a mark is said of the character before it.
        let isPlain = options.isSubset(of: .caseInsensitive) || text.utf8.allSatisfy { $0 < 0x80 }
        requiredLiteral = isPlain ? RegularExpression.requiredLiteral(of: text) : nil
        required = requiredLiteral?.bytes.map(\.asciiLowercased) ?? []
        // Case is PCRE2's business; marks and normal forms are dropped from pattern and text alike.
        folding = TextFolding(options.subtracting(.caseInsensitive))
        let ignoresCase = TextFolding(options).foldsCase

        guard let limits = pcre2_compile_context_create_8(nil) else { throw EvaluationError("out of memory") }
        defer { pcre2_compile_context_free_8(limits) }
        pcre2_set_max_pattern_length_8(limits, Int(PredicateLimits.regularExpressionLength))
        pcre2_set_newline_8(limits, UInt32(PCRE2_NEWLINE_LF))
        let flags =
            PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_NEVER_BACKSLASH_C
            | (ignoresCase ? PCRE2_CASELESS : 0)
        var problem: Int32 = 0
        var offset = 0
        let pattern = folding.fold(text).bytes
        let compiled = pattern.withUnsafeBufferPointer {
            pcre2_compile_8($0.baseAddress, $0.count, flags, &problem, &offset, limits)
        }
        guard let compiled else {
            throw EvaluationError(
                "not a regular expression: \(RegularExpression.message(problem)) at its byte \(offset)")
        }
        guard let context = pcre2_match_context_create_8(nil) else {
            pcre2_code_free_8(compiled)
            throw EvaluationError("out of memory")
        }
        pcre2_set_match_limit_8(context, PredicateLimits.regularExpressionSteps)
        pcre2_set_heap_limit_8(context, PredicateLimits.regularExpressionHeap)
        // Fails where memory cannot be made executable; the interpreter is used then.
        isNative = pcre2_jit_compile_8(compiled, UInt32(PCRE2_JIT_COMPLETE)) == 0
        code = compiled
        self.context = context
    }

    deinit {
        free(idle.load(ordering: .acquiring))
        pcre2_match_context_free_8(context)
        pcre2_code_free_8(code)
    }

    /// Whether the whole text matches; false for bytes that are not UTF-8. A text without the plain text that the expression
    /// cannot match without is not tried, so it costs little and never fails; indexes pass over it too.
    func matches(_ text: UnsafeRawBufferPointer) throws(EvaluationError) -> Bool {
        let kept = idle.exchange(0, ordering: .acquiring)
        guard let data = OpaquePointer(bitPattern: kept) ?? pcre2_match_data_create_8(1, nil) else {
            throw EvaluationError("out of memory")
        }
        defer { free(idle.exchange(UInt(bitPattern: data), ordering: .acquiringAndReleasing)) }
        return try matches(text, data)
    }

    /// The same for many texts in a row.
    package func matches(
        _ text: UnsafeRawBufferPointer, using data: borrowing MatchData
    ) throws(EvaluationError) -> Bool {
        try matches(text, data.pointer)
    }

    private func matches(
        _ text: UnsafeRawBufferPointer, _ data: OpaquePointer
    ) throws(EvaluationError) -> Bool {
        if UTF8Scalars.isASCII(text) {
            guard hasRequired(text) else { return false }
            // What drops marks and composes leaves ASCII as it is.
            return try run(text, data)
        }
        guard UTF8Scalars.isValid(text) else { return false }
        // By what plans narrow names by, so that a text fails here exactly where it does there.
        if !required.isEmpty, !TextPattern.folded(text, hasRequired) { return false }
        if folding.isIdentity { return try run(text, data) }
        return try folding.fold(text).bytes.withUnsafeBufferPointer { (bytes) throws(EvaluationError) in
            try run(UnsafeRawBufferPointer(bytes), data)
        }
    }

    private func hasRequired(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let first = required.first else { return true }
        return required.withUnsafeBufferPointer { required in
            var start = 0
            searching: while start + required.count <= text.count {
                if text[start].asciiLowercased == first {
                    for place in 1..<required.count where text[start + place].asciiLowercased != required[place] {
                        start += 1
                        continue searching
                    }
                    return true
                }
                start += 1
            }
            return false
        }
    }

    private func run(_ text: UnsafeRawBufferPointer, _ data: OpaquePointer) throws(EvaluationError) -> Bool {
        let subject = text.bindMemory(to: UInt8.self)
        var result: Int32
        if isNative, !text.isEmpty {
            // Without the checks of pcre2_match(3): the pattern is ours, and the text is valid.
            result = pcre2_jit_match_8(code, subject.baseAddress, subject.count, 0, 0, data, context)
            if result == PCRE2_ERROR_JIT_STACKLIMIT {
                // Machine code has 32 KiB of stack; the interpreter has the heap limit.
                result = pcre2_match_8(
                    code, subject.baseAddress, subject.count, 0, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data, context)
            }
        } else {
            result = pcre2_match_8(code, subject.baseAddress, subject.count, 0, PCRE2_NO_UTF_CHECK, data, context)
        }
        switch result {
        case PCRE2_ERROR_NOMATCH: return false
        case 0...: return true
        case PCRE2_ERROR_MATCHLIMIT, PCRE2_ERROR_DEPTHLIMIT, PCRE2_ERROR_HEAPLIMIT:
            throw EvaluationError("the regular expression takes too much work on this text")
        default: throw EvaluationError("the regular expression failed: \(RegularExpression.message(result))")
        }
    }

    private func free(_ address: UInt) {
        if let data = OpaquePointer(bitPattern: address) { pcre2_match_data_free_8(data) }
    }

    private static func message(_ code: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let length = buffer.withUnsafeMutableBufferPointer { pcre2_get_error_message_8(code, $0.baseAddress, $0.count) }
        return String(decoding: buffer.prefix(max(0, Int(length))), as: UTF8.self)
    }

    package static func == (a: RegularExpression, b: RegularExpression) -> Bool {
        a.text == b.text && a.options == b.options
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(options)
    }
}
