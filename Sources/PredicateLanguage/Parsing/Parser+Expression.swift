// Parses values, key paths and calls.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension Parser {
    func expectedValue() -> PredicateError {
        switch token.kind {
        case .word(let word, escaped: false):
            if keyword == .fetch || keyword == .function || keyword == .anyKey {
                return PredicateError("\(word.uppercased()) is not supported", at: token.start)
            }
            let hint = keyword == nil ? "" : "; a key of that name is written #\(word)"
            return PredicateError("expected a value, found '\(word)'\(hint)", at: token.start)
        case .star:
            return PredicateError(
                "expected a value, found '*'; a pattern stands in quotes: LIKE 'a*'", at: token.start)
        case .dot where continuesLostTime:
            return PredicateError(
                "a shell has replaced $time here; put the predicate in single quotes, or write \\$time", at: token.start
            )
        case .dot:
            let hint = previousEnd > 0 ? "; text stands in quotes: '.txt'" : ""
            return PredicateError("a key path cannot begin with '.'\(hint)", at: token.start)
        case .openBracket:
            return PredicateError(
                "expected a value, found '['; a list is written with braces: {'a', 'b'}", at: token.start)
        case .comparison, .and, .or:
            return PredicateError("expected a value before or after an operator, found \(found)", at: token.start)
        case .end:
            let last = lexer.text(previousStart, previousEnd)
            let hint = last == "*" ? "; a pattern stands in quotes: LIKE 'a*'" : ""
            return PredicateError("expected a value after '\(last)'\(hint)", at: token.start)
        default: return PredicateError("expected a value, found \(found)", at: token.start)
        }
    }

    /// Parses an operand: a sign, a value with its path, or parentheses.
    mutating func parseOperand() throws(PredicateError) -> Operand {
        guard token.kind == .minus else { return try parsePostfix() }
        let start = token.start
        try enter(at: start)
        try advance()
        if token.kind == .unsigned(Int64.min.magnitude) {
            try advance()
            leave()
            return .expression(try expression(.constant(.integer(.min)), at: start))
        }
        let operand = try parseOperand()
        let value = try value(operand)
        leave()
        switch value.constant {
        case .integer(let number) where number != .min:
            return .expression(Expression(.constant(.integer(-number)), at: start))
        case .unsigned(let number):
            // Below -2^63 there is no whole number.
            return .expression(Expression(.constant(.number(-Double(number))), at: start))
        case .number(let number): return .expression(Expression(.constant(.number(-number)), at: start))
        default: return .expression(try expression(.negation(value), at: start))
        }
    }

    private mutating func parsePostfix() throws(PredicateError) -> Operand {
        let start = token.start
        let primary = try parsePrimary()
        guard case .expression(var base) = primary else {
            if token.kind == .dot || token.kind == .openBracket { throw expectedConnective() }
            return primary
        }
        while true {
            switch token.kind {
            case .openBracket: base = try parseIndex(of: base, start: start)
            case .dot: base = try parseMember(of: base, start: start)
            default: return .expression(base)
            }
        }
    }

    private func expectedConnective() -> PredicateError {
        PredicateError("expected AND, OR or the end, found \(found)", at: token.start)
    }

    private mutating func parseIndex(of base: Expression, start: Int) throws(PredicateError) -> Expression {
        let bracket = token.start
        try advance()
        if token.kind == .closeBracket {
            throw PredicateError("expected a number, FIRST, LAST, SIZE or a key between '[' and ']'", at: token.start)
        }
        if case .word(let word, escaped: false) = token.kind,
            let end = Expression.CollectionEnd(rawValue: word.uppercased())
        {
            var ahead = lexer
            if let next = try? ahead.next(), next.kind == .closeBracket {
                try advance()
                try advance()
                return try expression(.end(base, end), at: start)
            }
        }
        try enter(at: bracket)
        let index = try parseValue()
        leave()
        try expect(.closeBracket, "']' for the '[' at byte \(bracket)")
        return try expression(.index(base, index), at: start)
    }

    private mutating func parseMember(of base: Expression, start: Int) throws(PredicateError) -> Expression {
        try advance()
        if case .at(let name) = token.kind {
            guard let aggregate = Expression.Aggregate(rawValue: name) else {
                let known = Expression.Aggregate.allCases.map { "@" + $0.rawValue }
                throw PredicateError(
                    "unknown operator '@\(name)'\(Spelling.suggestion(for: "@" + name, among: known))", at: token.start)
            }
            try advance()
            var path: [String] = []
            while token.kind == .dot {
                try advance()
                path.append(try parseMemberName())
                try count(at: token.start)
            }
            return try expression(.aggregate(base, aggregate, path: path), at: start)
        }
        let name = try parseMemberName()
        // SELF.name is name.
        if case .evaluatedObject = base.kind { return try expression(.key(name), at: start) }
        return try expression(.member(base, name), at: start)
    }

    private mutating func parseMemberName() throws(PredicateError) -> String {
        guard case .word(let name, let escaped) = token.kind else {
            throw PredicateError("expected a key after '.', found \(found)", at: token.start)
        }
        if !escaped, keyword != nil {
            throw PredicateError(
                "'\(name)' is a reserved word; a key of that name is written #\(name)", at: token.start)
        }
        try advance()
        return name
    }

    // MARK: Primaries

    private mutating func parsePrimary() throws(PredicateError) -> Operand {
        let start = token.start
        switch token.kind {
        case .string(let text): return .expression(try literal(.string(text)))
        case .integer(let value):
            let written = lexer.text(token.start, token.end)
            if written.utf8.count > 1, written.utf8.first == UInt8(ascii: "0") { unusualNumbers[start] = written }
            return .expression(try literal(.integer(value)))
        case .unsigned(let value): return .expression(try literal(.unsigned(value)))
        case .number(let value): return .expression(try literal(.number(value)))
        case .size(let bytes):
            guard mode == .metadata else {
                throw PredicateError("a size with a unit is understood next to a numeric attribute only", at: start)
            }
            return .expression(try literal(.integer(bytes)))
        case .openParenthesis: return try parseParentheses()
        case .openBrace: return .expression(try parseArray())
        case .variable(let name): return .expression(try parseVariable(name))
        case .functionName(let name):
            try advance()
            return .expression(try parseCall(name, start: start))
        case .word(let word, let escaped): return try parseWord(word, escaped: escaped)
        default: throw expectedValue()
        }
    }

    private mutating func literal(_ value: MetadataValue) throws(PredicateError) -> Expression {
        let start = token.start
        try advance()
        if case .string = token.kind, case .string = value {
            throw PredicateError("two texts in a row; expected an operator between them", at: token.start)
        }
        return try expression(.constant(value), at: start)
    }

    private mutating func parseParentheses() throws(PredicateError) -> Operand {
        let start = token.start
        try enter(at: start)
        try advance()
        let operand = try parse(.or)
        guard token.kind == .closeParenthesis else {
            if token.kind == .comma { throw PredicateError("a list is written with braces: {'a', 'b'}", at: start) }
            if case .expression = operand, case .word = token.kind { _ = try predicate(operand) }
            throw PredicateError("expected ')' for the '(' at byte \(start), found \(found)", at: token.start)
        }
        try advance()
        leave()
        switch operand {
        case .predicate(var node):
            node.position = BytePosition(start)
            return .predicate(node)
        case .expression(let value):
            unusualNumbers[start] = unusualNumbers[value.position.offset]
            return .expression(Expression(value.kind, at: start))
        }
    }

    private mutating func parseArray() throws(PredicateError) -> Expression {
        let start = token.start
        try enter(at: start)
        try advance()
        var elements: [Expression] = []
        while token.kind != .closeBrace {
            if !elements.isEmpty { try expect(.comma, "',' or '}' for the '{' at byte \(start)") }
            elements.append(try parseValue())
        }
        try advance()
        leave()
        return try expression(.array(elements), at: start)
    }

    private mutating func parseVariable(_ name: String) throws(PredicateError) -> Expression {
        let start = token.start
        if name == "time", mode == .metadata { return try parseTime() }
        guard variables.contains(name) else {
            throw PredicateError("the variable $\(name) has no value here", at: start)
        }
        try advance()
        return try expression(.variable(name), at: start)
    }

    private mutating func parseWord(_ word: String, escaped: Bool) throws(PredicateError) -> Operand {
        let start = token.start
        let keyword = escaped ? nil : self.keyword
        switch keyword {
        case .null, .nil: return .expression(try literal(.none))
        case .true, .yes: return .expression(try literal(.boolean(true)))
        case .false, .no: return .expression(try literal(.boolean(false)))
        case .truePredicate, .falsePredicate:
            try advance()
            return .predicate(try node(.constant(keyword == .truePredicate), at: start))
        case .some(.`self`):
            try advance()
            return .expression(try expression(.evaluatedObject, at: start))
        case .cast: return .expression(try parseCast())
        case .ternary: return .expression(try parseTernary())
        case .subquery: return .expression(try parseSubquery())
        case .some: throw expectedValue()
        case nil:
            try advance()
            if token.kind == .openParenthesis, !escaped { return .expression(try parseCall(word, start: start)) }
            return .expression(try expression(.key(word), at: start))
        }
    }
}
