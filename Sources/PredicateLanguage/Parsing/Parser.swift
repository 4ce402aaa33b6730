// Parses predicates and comparisons by precedence.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Parses one predicate by precedence climbing. A parenthesis may open a predicate or a value, and only its content
/// tells which. The same rules parse both, and the caller checks for the one that it needs. No text is parsed twice.
struct Parser {
    /// A parsed part: a predicate or a value.
    enum Operand {
        case predicate(PredicateNode)
        case expression(Expression)

        var start: Int {
            switch self {
            case .predicate(let node): node.position.offset
            case .expression(let expression): expression.position.offset
            }
        }
    }

    enum Precedence: Int {
        case or, and, not, comparison, additive, multiplicative, power
    }

    var lexer: Lexer
    var token: Token
    /// The place of the token before `token`.
    var previousStart = 0
    var previousEnd = 0
    /// The variables of the enclosing SUBQUERYs.
    var variables: [String] = []
    /// Integers that are not written in plain decimal, by position: with a leading 0, or in another radix.
    var unusualNumbers: [Int: String] = [:]
    /// The mode; `$time` and sizes with units belong to ``Predicate/Mode/metadata``.
    let mode: Predicate.Mode
    /// The zone of local times.
    let zone: LocalZone
    /// Whether a date was read that depends on the zone.
    var readsZone = false
    private var nesting = 0
    /// The number of parts so far.
    private(set) var nodes = 0

    init(_ bytes: [UInt8], mode: Predicate.Mode, zone: LocalZone) throws(PredicateError) {
        lexer = Lexer(bytes)
        self.mode = mode
        self.zone = zone
        token = try lexer.next()
    }

    /// Parses the whole text.
    mutating func parse() throws(PredicateError) -> PredicateNode {
        if token.kind == .end {
            // The protocol's text for a query of every item. In `gather filter` it is probably a mistake.
            if mode == .metadata { return PredicateNode(.constant(true), at: 0) }
            throw PredicateError("the predicate is empty; TRUEPREDICATE matches everything", at: 0)
        }
        let operand = try parse(.or)
        let root = try predicate(operand)
        switch token.kind {
        case .end: return root
        case .closeParenthesis: throw PredicateError("there is no '(' for this ')'", at: token.start)
        case .comma:
            throw PredicateError(
                "expected AND, OR or the end, found ','; a list is written with braces: {'a', 'b'}", at: token.start)
        case .word(let word, escaped: false) where mode == .metadata && Lexer.isUnit(word):
            throw PredicateError("a unit stands directly after its number, as in 10\(word)", at: token.start)
        case .word(let word, escaped: false) where ["c", "d", "cd", "dc", "n", "l"].contains(word.lowercased()):
            throw PredicateError("options stand after the operator, as in ==[\(word)]", at: token.start)
        default: throw PredicateError("expected AND, OR or the end, found \(found)", at: token.start)
        }
    }

    // MARK: Bookkeeping

    /// Advances to the next token.
    mutating func advance() throws(PredicateError) {
        previousStart = token.start
        previousEnd = token.end
        token = try lexer.next()
    }

    /// Advances past a token of this kind, or throws an error with the expected one.
    mutating func expect(_ kind: Token.Kind, _ expected: String) throws(PredicateError) {
        guard token.kind == kind else { throw PredicateError("expected \(expected), found \(found)", at: token.start) }
        try advance()
    }

    mutating func enter(at position: Int) throws(PredicateError) {
        nesting += 1
        guard nesting <= PredicateLimits.nesting else { throw tooDeep(at: position) }
    }

    mutating func leave() { nesting -= 1 }

    private func tooDeep(at position: Int) -> PredicateError {
        PredicateError("the predicate is nested deeper than \(PredicateLimits.nesting) levels", at: position)
    }

    mutating func count(at position: Int) throws(PredicateError) {
        nodes += 1
        guard nodes <= PredicateLimits.nodes else {
            throw PredicateError("the predicate has more than \(PredicateLimits.nodes) parts", at: position)
        }
    }

    mutating func node(_ kind: PredicateNode.Kind, at position: Int) throws(PredicateError) -> PredicateNode {
        try count(at: position)
        return PredicateNode(kind, at: position)
    }

    mutating func expression(_ kind: Expression.Kind, at position: Int) throws(PredicateError) -> Expression {
        try count(at: position)
        let expression = Expression(kind, at: position)
        guard expression.height <= PredicateLimits.nesting else { throw tooDeep(at: position) }
        return expression
    }

    /// The current token, for messages.
    var found: String {
        switch token.kind {
        case .end: "the end"
        case .string: "text"
        default: "'\(lexer.text(token.start, min(token.end, token.start + 40)))'"
        }
    }

    /// The current token, where it is a reserved word.
    var keyword: Keyword? {
        guard case .word(let word, escaped: false) = token.kind else { return nil }
        return Keyword(word: word)
    }

    // MARK: Kinds of operands

    /// The operand as a predicate; otherwise an error about the text missing after the value. `negated` is true
    /// directly after NOT.
    func predicate(_ operand: Operand, negated: Bool = false) throws(PredicateError) -> PredicateNode {
        switch operand {
        case .predicate(let node): return node
        case .expression(let value):
            let written = lexer.text(value.position.offset, previousEnd)
            let shown = written.utf8.count <= 40 ? "'\(written)'" : "this value"
            switch token.kind {
            case .word where keyword == .and || keyword == .or, .and, .or:
                throw PredicateError(
                    "expected an operator after \(shown), found \(found)\(complete(value, negated))", at: token.start)
            case .word(let word, escaped: false):
                if keyword == .not {
                    throw PredicateError("NOT stands before the comparison, as in NOT name LIKE 'a*'", at: token.start)
                }
                throw PredicateError("unknown operator '\(word)'\(Parser.meant(by: word))", at: token.start)
            case .end, .closeParenthesis:
                throw PredicateError(
                    "expected an operator such as == or LIKE after \(shown)\(complete(value, negated))",
                    at: token.start)
            default:
                throw PredicateError("expected an operator after \(shown), found \(found)", at: token.start)
            }
        }
    }

    /// The comparison to write in the place of a value that stands alone; empty where none is likely.
    private func complete(_ value: Expression, _ isNegated: Bool) -> String {
        switch value.kind {
        case .constant(.boolean(true)): return " (TRUEPREDICATE is always true)"
        case .key(let key):
            if mode == .metadata, Attribute(name: key)?.type != .boolean { return "" }
            return "; write \(key) == \(isNegated ? "FALSE" : "TRUE")\(isNegated ? " without NOT" : "")"
        default: return ""
        }
    }

    private static func meant(by word: String) -> String {
        switch word.uppercased() {
        case "IS": "; write == nil or != nil"
        case "ILIKE": "; write LIKE[c]"
        case "REGEXP", "RLIKE", "GLOB": "; did you mean MATCHES or LIKE?"
        case "STARTSWITH": "; did you mean BEGINSWITH?"
        case "HAS", "INCLUDES": "; did you mean CONTAINS?"
        case "EQ", "EQUALS": "; did you mean '=='?"
        default: ""
        }
    }

    /// The operand as a value; otherwise an error about the predicate in its place.
    func value(_ operand: Operand) throws(PredicateError) -> Expression {
        switch operand {
        case .expression(let value): return value
        case .predicate(let node):
            throw PredicateError("expected a value, and this is a comparison or a predicate", at: node.position.offset)
        }
    }

    /// Parses a value, arithmetic included.
    mutating func parseValue() throws(PredicateError) -> Expression {
        let operand = try parse(.additive)
        return try value(operand)
    }

    // MARK: Precedence

    /// Parses operators that bind at least as tightly as `lowest`.
    mutating func parse(_ lowest: Precedence) throws(PredicateError) -> Operand {
        var left = try parsePrefix(lowest)
        while let precedence = precedenceOfToken, precedence.rawValue >= lowest.rawValue {
            switch precedence {
            case .or, .and: left = .predicate(try parseChain(after: predicate(left), precedence))
            case .comparison: left = .predicate(try parseComparison(after: left))
            case .not: return left
            case .additive, .multiplicative, .power:
                left = .expression(try parseArithmetic(after: value(left), precedence))
            }
        }
        return left
    }

    private var precedenceOfToken: Precedence? {
        switch token.kind {
        case .or: .or
        case .and: .and
        case .comparison: .comparison
        case .plus, .minus: .additive
        case .star, .slash: .multiplicative
        case .power: .power
        case .word:
            switch keyword {
            case .or: .or
            case .and: .and
            case .some(let word) where word.comparison != nil: .comparison
            default: nil
            }
        default: nil
        }
    }

    private mutating func parseChain(
        after first: PredicateNode, _ precedence: Precedence
    ) throws(PredicateError) -> PredicateNode {
        var terms = [first]
        while precedenceOfToken == precedence {
            try advance()
            let operand = try parse(precedence == .or ? .and : .not)
            terms.append(try predicate(operand))
        }
        return try node(precedence == .or ? .or(terms) : .and(terms), at: first.position.offset)
    }

    private mutating func parseArithmetic(
        after left: Expression, _ precedence: Precedence
    ) throws(PredicateError) -> Expression {
        let operation: Expression.Arithmetic
        switch token.kind {
        case .plus: operation = .add
        case .minus: operation = .subtract
        case .star: operation = .multiply
        case .slash: operation = .divide
        default: operation = .power
        }
        let position = token.start
        try enter(at: position)
        try advance()
        let operand: Operand
        switch precedence {
        case .additive: operand = try parse(.multiplicative)
        // `**` groups to the right. Operators that group to the left have been parsed already.
        default: operand = try parse(.power)
        }
        let right = try value(operand)
        leave()
        return try expression(.arithmetic(left, operation, right), at: left.position.offset)
    }

    private mutating func parsePrefix(_ lowest: Precedence) throws(PredicateError) -> Operand {
        let start = token.start
        if token.kind == .not || keyword == .not {
            guard lowest.rawValue <= Precedence.not.rawValue else { throw expectedValue() }
            try enter(at: start)
            try advance()
            let operand = try parse(.not)
            let negated = try predicate(operand, negated: true)
            leave()
            return .predicate(try node(.not(negated), at: start))
        }
        let quantifier: Comparison.Quantifier
        switch keyword {
        case .some(.any), .some(.some): quantifier = .any
        case .some(.all): quantifier = .all
        case .some(.none): quantifier = .none
        default: return try parseOperand()
        }
        guard lowest.rawValue <= Precedence.comparison.rawValue else { throw expectedValue() }
        try advance()
        let left = try parseValue()
        guard precedenceOfToken == .comparison else {
            _ = try predicate(.expression(left))
            throw expectedValue()
        }
        return .predicate(try parseComparison(after: .expression(left), quantifier, start: start))
    }

    // MARK: Comparisons

    private mutating func parseComparison(
        after operand: Operand, _ quantifier: Comparison.Quantifier? = nil, start: Int? = nil
    ) throws(PredicateError) -> PredicateNode {
        let position = token.start
        guard case .expression(let left) = operand else {
            if case .predicate(let node) = operand, case .constant = node.kind {
                throw PredicateError("TRUEPREDICATE and FALSEPREDICATE are compared with nothing", at: position)
            }
            throw PredicateError("comparisons do not chain; join two with AND", at: position)
        }
        let operation: Comparison.Operator
        if case .comparison(let symbol) = token.kind {
            operation = symbol
        } else if let word = keyword?.comparison {
            operation = word
        } else {
            throw PredicateError("expected an operator", at: position)
        }
        let written = lexer.text(token.start, token.end)
        try advance()
        let options = try parseOptions(after: operation)
        if token.kind == .end { throw PredicateError("expected a value after \(written)", at: token.start) }
        let right = try parseValue()
        try refuseTrailingOptions(quantifier, left, operation, options, right)
        let comparison = Comparison(
            quantifier: quantifier, left, operation, options: options, right, operatorPosition: position)
        return try node(.comparison(comparison), at: start ?? left.position.offset)
    }

    private mutating func parseOptions(after operation: Comparison.Operator) throws(PredicateError) -> TextOptions {
        guard token.kind == .openBracket else { return [] }
        let start = token.start
        try advance()
        guard case .word(let letters, escaped: false) = token.kind else {
            let hint = operation == .in ? "; a list is written with braces: {'a', 'b'}" : ""
            throw PredicateError("expected options such as [c] or [cd]\(hint)", at: token.start)
        }
        var options: TextOptions = []
        for (offset, letter) in letters.lowercased().enumerated() {
            guard let option = TextOptions.letters.first(where: { $0.1 == letter })?.0 else {
                let hint =
                    operation == .in ? "; a list is written with braces: {'a', 'b'}" : "; there are c, d, n and l"
                throw PredicateError("unknown option '\(letter)'\(hint)", at: token.start + offset)
            }
            options.insert(option)
        }
        try advance()
        try expect(.closeBracket, "']' after the options")
        guard operation != .between, !operation.isOverTypes else {
            throw PredicateError("\(operation.rawValue) takes no options", at: start)
        }
        return options
    }
}
