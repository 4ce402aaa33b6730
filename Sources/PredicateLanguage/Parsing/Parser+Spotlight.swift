// Errors for expressions that Spotlight's raw query language writes otherwise.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension Parser {
    /// Refuses letters directly after a text, as in `kMDItemFSName == "*.txt"wc`, and names the comparison to write.
    ///
    /// Spotlight's raw language puts its options there: `c` and `d` as here, `w` for words, `t` for tokens. A pattern for
    /// words has no counterpart; `*` on its open sides comes nearest.
    func refuseTrailingOptions(
        _ quantifier: Comparison.Quantifier?, _ left: Expression, _ operation: Comparison.Operator,
        _ options: TextOptions, _ right: Expression
    ) throws(PredicateError) {
        guard case .string(let text) = right.constant, case .word(let letters, escaped: false) = token.kind,
            token.start == previousEnd
        else { return }
        let suffixes = Set(letters.lowercased())
        guard suffixes.isSubset(of: ["c", "d", "w", "t"]) else { return }
        var options = options
        if suffixes.contains("c") { options.insert(.caseInsensitive) }
        if suffixes.contains("d") { options.insert(.diacriticInsensitive) }
        let isEquality = operation == .equal || operation == .notEqual
        let hasWildcard = text.contains("*") || text.contains("?")
        var pattern = text
        if isEquality, suffixes.contains("w") || suffixes.contains("t") {
            if !hasWildcard { pattern += "*" }
            if !pattern.hasPrefix("*") { pattern = "*" + pattern }
        }
        let isPattern = pattern.contains("*") || pattern.contains("?")
        let written = Comparison(
            quantifier: quantifier, left, isEquality && isPattern ? .like : operation, options: options,
            Expression(.constant(.string(pattern))))
        let node = PredicateNode(.comparison(written), at: 0)
        let meant = isPattern && operation == .notEqual ? PredicateNode(.not(node), at: 0) : node
        throw PredicateError("options stand after the operator; write \(meant)", at: token.start)
    }

    /// The error for `InRange(KEY, MIN, MAX)`, Spotlight's BETWEEN.
    static func rangeError(_ arguments: [Expression], at position: Int) -> PredicateError {
        let shown = arguments.count == 3 ? arguments.map(\.description) : ["size", "1", "9"]
        return PredicateError(
            "there is no InRange(); write \(shown[0]) BETWEEN {\(shown[1]), \(shown[2])}", at: position)
    }

    /// Whether the text goes on as `$time` does where a shell has replaced that variable with nothing: `.now(-60)`.
    var continuesLostTime: Bool {
        var ahead = lexer
        guard token.kind == .dot, case .word(let word, escaped: false)? = (try? ahead.next())?.kind else {
            return false
        }
        return TimeExpression.Unit(rawValue: word) != nil || ["yesterday", "tomorrow", "iso"].contains(word)
    }
}
