// MATCHES: PCRE2 with limits.
// SPDX-License-Identifier: Apache-2.0

import CPCRE2
import Synchronization

/// A compiled regular expression that must match a whole text.
///
/// PCRE2 itself anchors at both ends, so it tries every alternative until one covers the text. ``PredicateLimits``
/// bound the work for one match. The expression runs as machine code where the system allows it, and in PCRE2's
/// interpreter under `MemoryDenyWriteExecute`.
package final class RegularExpression: Sendable, Hashable {
    let text: String
    let options: TextOptions

    /// The literal that every matching text has; nil where none is known.
    let requiredLiteral: RequiredLiteral?
    /// The literal in lower case; empty where none is known.
    private let required: [UInt8]
    private let folding: TextFolding
    /// Immutable once compiled; PCRE2 lets threads share it (pcre2api(3), "The compiled pattern"). Freed in deinit
    /// only.
    private nonisolated(unsafe) let code: OpaquePointer
    /// Immutable after init, and shared by threads like the code.
    private nonisolated(unsafe) let context: OpaquePointer
    /// The address of unused match data, or 0; a thread that takes it owns it. One is kept. The few threads that match
    /// at the same time make their own, since a lock took longer than most matches.
    private let idle = Atomic<UInt>(0)
    /// Whether there is machine code.
    private let isNative: Bool

    /// The memory that one match needs beside the expression, for one thread at a time.
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
        // If marks are dropped or composed, a quantifier after a mark applies to the character before it.
        let isPlain = options.isSubset(of: .caseInsensitive) || text.utf8.allSatisfy { $0 < 0x80 }
        requiredLiteral = isPlain ? RegularExpression.requiredLiteral(of: text) : nil
        required = requiredLiteral?.bytes.map(\.asciiLowercased) ?? []
        // PCRE2 folds case; marks and normal forms are folded in the pattern and the text here.
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
        // This fails where memory cannot be made executable; the interpreter runs then.
        isNative = pcre2_jit_compile_8(compiled, UInt32(PCRE2_JIT_COMPLETE)) == 0
        code = compiled
        self.context = context
    }

    deinit {
        free(idle.load(ordering: .acquiring))
        pcre2_match_context_free_8(context)
        pcre2_code_free_8(code)
    }

    /// Whether the whole text matches. Each byte that is not UTF-8 is one character, which no expression can name. A text
    /// without the expression's literal is not tried, so it costs little and never fails. Index scans leave such names out, too.
    func matches(_ text: UnsafeRawBufferPointer) throws(EvaluationError) -> Bool {
        let kept = idle.exchange(0, ordering: .acquiring)
        guard let data = OpaquePointer(bitPattern: kept) ?? pcre2_match_data_create_8(1, nil) else {
            throw EvaluationError("out of memory")
        }
        defer { free(idle.exchange(UInt(bitPattern: data), ordering: .acquiringAndReleasing)) }
        return try matches(text, data)
    }

    /// Whether the whole text matches, with match data that several calls share.
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
            // Dropping and composing marks does not change ASCII.
            return try run(text, data)
        }
        guard UTF8Scalars.isValid(text) else {
            // PCRE2 takes only UTF-8.
            return try UTF8Scalars.withPrivateScalars(text).withUnsafeBufferPointer { (bytes) throws(EvaluationError) in
                try matchesUTF8(UnsafeRawBufferPointer(bytes), data)
            }
        }
        return try matchesUTF8(text, data)
    }

    private func matchesUTF8(
        _ text: UnsafeRawBufferPointer, _ data: OpaquePointer
    ) throws(EvaluationError) -> Bool {
        // Plans narrow names by the same literal, so that a text fails here exactly where it fails in a plan.
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
            // Without the checks of pcre2_match(3): this type compiled the pattern, and the text is valid.
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
