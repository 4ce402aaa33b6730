// The predefined functions.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata

extension Function {
    /// The function's value; nil where an argument is nil.
    func apply(_ arguments: [MetadataValue]) throws(EvaluationError) -> MetadataValue {
        guard arguments.count == arity, !arguments.contains(.none) else { return .none }
        let first = arguments[0]
        switch self {
        case .sum: return try Aggregation.value(of: .sum, over: first)
        case .count: return try Aggregation.value(of: .count, over: first)
        case .min: return try Aggregation.value(of: .min, over: first)
        case .max: return try Aggregation.value(of: .max, over: first)
        case .average: return try Aggregation.value(of: .average, over: first)
        case .median: return try Aggregation.median(first)
        case .standardDeviation: return try Aggregation.standardDeviation(first)
        case .mode: return try Aggregation.mode(first)
        case .add: return try Arithmetic.apply(.add, first, arguments[1])
        case .subtract: return try Arithmetic.apply(.subtract, first, arguments[1])
        case .multiply: return try Arithmetic.apply(.multiply, first, arguments[1])
        case .divide: return try Arithmetic.apply(.divide, first, arguments[1])
        case .power: return try Arithmetic.apply(.power, first, arguments[1])
        case .modulus: return try remainder(first, arguments[1])
        case .squareRoot: return try real(first) { $0.squareRoot() }
        case .log10: return try real(first) { Glibc.log10($0) }
        case .naturalLogarithm: return try real(first) { Glibc.log($0) }
        case .exponential: return try real(first) { Glibc.exp($0) }
        case .floor: return try rounded(first, .down)
        case .ceiling: return try rounded(first, .up)
        case .trunc: return try rounded(first, .towardZero)
        case .abs:
            let number = try number(first)
            if number.order(to: .integer(0)) >= 0 { return number.value }
            return try Arithmetic.apply(.subtract, .integer(0), number.value)
        case .uppercase: return .string(try text(first).uppercased())
        case .lowercase: return .string(try text(first).lowercased())
        case .length: return .integer(Int64(try text(first).utf16.count))
        case .bitwiseAnd: return try Arithmetic.whole(try integer(first) & integer(arguments[1]))
        case .bitwiseOr: return try Arithmetic.whole(try integer(first) | integer(arguments[1]))
        case .bitwiseXor: return try Arithmetic.whole(try integer(first) ^ integer(arguments[1]))
        case .leftShift: return try shifted(try integer(first), left: integer(arguments[1]))
        case .rightShift: return try shifted(try integer(first), left: -integer(arguments[1]))
        case .onesComplement: return try Arithmetic.whole(~(try integer(first)))
        case .noIndex: return first
        }
    }

    private func number(_ value: MetadataValue) throws(EvaluationError) -> Number {
        guard let number = Number(value) else {
            throw EvaluationError("\(rawValue)() takes numbers, and this is \(value.noun)")
        }
        return number
    }

    /// Shifts in 64 bits: the number's own, with a sign or, beyond `Int64.max`, without. Swift's smart shifts accept any count.
    private func shifted(_ number: Int128, left count: Int128) throws(EvaluationError) -> MetadataValue {
        if let number = Int64(exactly: number) { return .integer(number << count) }
        return try Arithmetic.whole(Int128(UInt64(clamping: number) << count))
    }

    private func integer(_ value: MetadataValue) throws(EvaluationError) -> Int128 {
        switch try number(value) {
        case .integer(let value): return value
        case .floating(let value):
            guard let whole = Int128(exactly: value), whole >= Int64.min, whole <= UInt64.max else {
                throw EvaluationError("\(rawValue)() takes whole numbers, and this is \(value)")
            }
            return whole
        }
    }

    private func text(_ value: MetadataValue) throws(EvaluationError) -> String {
        guard case .string(let text) = value else {
            throw EvaluationError("\(rawValue)() takes text, and this is \(value.noun)")
        }
        return text
    }

    private func real(
        _ value: MetadataValue, _ function: (Double) -> Double
    ) throws(EvaluationError) -> MetadataValue {
        let result = function(try number(value).floating)
        guard !result.isNaN else { throw EvaluationError("\(rawValue)() has no value for a negative number") }
        return try Arithmetic.finite(result)
    }

    private func rounded(
        _ value: MetadataValue, _ rule: FloatingPointRoundingRule
    ) throws(EvaluationError) -> MetadataValue {
        switch try number(value) {
        case .integer: value
        case .floating(let value): .number(value.rounded(rule))
        }
    }

    private func remainder(
        _ left: MetadataValue, _ right: MetadataValue
    ) throws(EvaluationError) -> MetadataValue {
        let (a, b) = (try number(left), try number(right))
        guard b.order(to: .integer(0)) != 0 else { throw Arithmetic.divisionByZero }
        if case .integer(let a) = a, case .integer(let b) = b {
            return try Arithmetic.whole(a % b)
        }
        return try Arithmetic.finite(a.floating.truncatingRemainder(dividingBy: b.floating))
    }
}
