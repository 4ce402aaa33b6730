// Parses functions, CAST, TERNARY, SUBQUERY and times.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension Parser {
    /// Parses the arguments of a function; the token is the parenthesis after its name.
    mutating func parseCall(_ name: String, start: Int) throws(PredicateError) -> Expression {
        let open = token.start
        try enter(at: open)
        try advance()
        var arguments: [Expression] = []
        while token.kind != .closeParenthesis {
            if !arguments.isEmpty { try expect(.comma, "',' or ')' for the '(' at byte \(open)") }
            arguments.append(try parseValue())
        }
        try advance()
        leave()
        if name == "now" {
            guard arguments.isEmpty else { throw PredicateError("now() takes no arguments", at: start) }
            return try expression(.time(TimeExpression(.now)), at: start)
        }
        guard let function = Function(rawValue: name) else {
            if name.uppercased() == "INRANGE" { throw Parser.rangeError(arguments, at: start) }
            if let reason = Function.unsupported[name] {
                throw PredicateError("\(name)() is not supported: \(reason)", at: start)
            }
            let known = Function.allCases.map(\.rawValue) + ["now"]
            throw PredicateError(
                "unknown function '\(name)'\(Spelling.suggestion(for: name, among: known))", at: start)
        }
        guard arguments.count == function.arity else {
            let wanted = function.arity == 1 ? "one argument" : "two arguments"
            throw PredicateError("\(name)() takes \(wanted), and has \(arguments.count)", at: start)
        }
        return try expression(.function(function, arguments), at: start)
    }

    mutating func parseCast() throws(PredicateError) -> Expression {
        let start = token.start
        try enter(at: start)
        try advance()
        try expect(.openParenthesis, "'(' after CAST")
        let operand = try parseValue()
        try expect(.comma, "',' and a type such as 'NSNumber'")
        let position = token.start
        guard case .string(let name) = token.kind else {
            throw PredicateError("expected 'NSNumber', 'NSString' or 'NSDate', found \(found)", at: position)
        }
        guard let type = Expression.CastType(rawValue: name) else {
            throw PredicateError("unknown type '\(name)'; there are 'NSNumber', 'NSString' and 'NSDate'", at: position)
        }
        try advance()
        try expect(.closeParenthesis, "')' after the type")
        leave()
        // A date literal is written as a cast.
        if type == .date, case .string(let text) = operand.constant {
            if let date = date(text) { return try expression(.constant(.date(date)), at: start) }
            if mode == .metadata { throw DateText.error(text, at: operand.position.offset) }
        }
        return try expression(.cast(operand, type, type == .date ? zone : .process), at: start)
    }

    mutating func parseTernary() throws(PredicateError) -> Expression {
        let start = token.start
        try enter(at: start)
        try advance()
        try expect(.openParenthesis, "'(' after TERNARY")
        let operand = try parse(.or)
        let condition = try predicate(operand)
        try expect(.comma, "',' and the value where that is true")
        let first = try parseValue()
        try expect(.comma, "',' and the value where that is false")
        let second = try parseValue()
        try expect(.closeParenthesis, "')' for the one of TERNARY")
        leave()
        return try expression(.ternary(condition, first, second), at: start)
    }

    mutating func parseSubquery() throws(PredicateError) -> Expression {
        let start = token.start
        try enter(at: start)
        try advance()
        try expect(.openParenthesis, "'(' after SUBQUERY")
        let collection = try parseValue()
        try expect(.comma, "',' and a variable such as $x")
        guard case .variable(let variable) = token.kind else {
            throw PredicateError("expected a variable such as $x, found \(found)", at: token.start)
        }
        try advance()
        try expect(.comma, "',' and a predicate over $\(variable)")
        variables.append(variable)
        let operand = try parse(.or)
        let condition = try predicate(operand)
        variables.removeLast()
        try expect(.closeParenthesis, "')' for the one of SUBQUERY")
        leave()
        return try expression(.subquery(collection, variable: variable, condition), at: start)
    }

    // MARK: $time

    /// Parses `$time.unit`, `$time.unit(n)` and `$time.iso('…')`; the token is `$time`.
    mutating func parseTime() throws(PredicateError) -> Expression {
        let start = token.start
        try advance()
        try expect(.dot, "'.' and a unit after $time, as in $time.today")
        guard case .word(let name, escaped: _) = token.kind else {
            throw PredicateError("expected a unit after $time, found \(found)", at: token.start)
        }
        let position = token.start
        try advance()
        if name == "iso" { return try parseISOTime(start: start) }
        let shift: Int64 = name == "yesterday" ? -1 : name == "tomorrow" ? 1 : 0
        guard let unit = shift != 0 ? .day : TimeExpression.Unit(rawValue: name) else {
            let known = TimeExpression.Unit.allCases.map(\.rawValue) + ["yesterday", "tomorrow", "iso"]
            throw PredicateError(
                "unknown time '\(name)'\(Spelling.suggestion(for: name, among: known))", at: position)
        }
        let count = try parseTimeCount()
        let (sum, overflow) = count.addingReportingOverflow(shift)
        // A million years in seconds. In the other units that is beyond every timestamp.
        guard !overflow, sum.magnitude < 1 << 45 else {
            throw PredicateError("this time is too far away", at: position)
        }
        return try expression(.time(TimeExpression(unit, sum, in: zone)), at: start)
    }

    private mutating func parseTimeCount() throws(PredicateError) -> Int64 {
        guard token.kind == .openParenthesis else { return 0 }
        try advance()
        var count: Int64 = 0
        var sign: Int64 = 1
        if token.kind == .minus || token.kind == .plus {
            sign = token.kind == .minus ? -1 : 1
            try advance()
            guard case .integer = token.kind else {
                throw PredicateError("expected a whole number, found \(found)", at: token.start)
            }
        }
        if case .integer(let value) = token.kind {
            count = sign * value
            try advance()
        }
        try expect(.closeParenthesis, "a whole number and ')'")
        return count
    }

    /// The moment of a date in quotes; nil for another text.
    private mutating func date(_ text: String) -> Timestamp? {
        if DateText.isLocal(text) { readsZone = true }
        return DateText.timestamp(text, in: zone)
    }

    private mutating func parseISOTime(start: Int) throws(PredicateError) -> Expression {
        try expect(.openParenthesis, "'(' and a date after $time.iso")
        guard case .string(let text) = token.kind else {
            throw PredicateError("expected a date in quotes, found \(found)", at: token.start)
        }
        guard let date = date(text) else { throw DateText.error(text, at: token.start) }
        try advance()
        try expect(.closeParenthesis, "')' after the date")
        return try expression(.constant(.date(date)), at: start)
    }
}
