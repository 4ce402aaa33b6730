// Sums, products and powers.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata

/// Arithmetic on numbers. Two integers give an integer, also when divided; a floating operand gives a floating result;
/// nil gives nil. A whole result below -2^63 or from 2^64 on and a division by zero are errors.
enum Arithmetic {
    static func apply(
        _ operation: Expression.Arithmetic, _ left: MetadataValue, _ right: MetadataValue
    ) throws(EvaluationError) -> MetadataValue {
        if left == .none || right == .none { return .none }
        guard let a = Number(left), let b = Number(right) else {
            let wrong = Number(left) == nil ? left : right
            throw EvaluationError("'\(operation.rawValue)' takes numbers, and this is \(wrong.noun)")
        }
        if case .integer(let a) = a, case .integer(let b) = b {
            return try integers(operation, a, b)
        }
        let (x, y) = (a.floating, b.floating)
        switch operation {
        case .add: return try finite(x + y)
        case .subtract: return try finite(x - y)
        case .multiply: return try finite(x * y)
        case .divide:
            guard y != 0 else { throw divisionByZero }
            return try finite(x / y)
        case .power: return try finite(pow(x, y))
        }
    }

    static var divisionByZero: EvaluationError { EvaluationError("division by zero") }
    static var overflow: EvaluationError { EvaluationError("the result is too large for a number") }

    static func finite(_ value: Double) throws(EvaluationError) -> MetadataValue {
        guard value.isFinite else { throw overflow }
        return .number(value)
    }

    private static func integers(
        _ operation: Expression.Arithmetic, _ a: Int128, _ b: Int128
    ) throws(EvaluationError) -> MetadataValue {
        let result: (partialValue: Int128, overflow: Bool)
        switch operation {
        case .add: result = a.addingReportingOverflow(b)
        case .subtract: result = a.subtractingReportingOverflow(b)
        case .multiply: result = a.multipliedReportingOverflow(by: b)
        case .divide:
            guard b != 0 else { throw divisionByZero }
            result = a.dividedReportingOverflow(by: b)
        case .power:
            guard b >= 0 else {
                guard a != 0 else { throw divisionByZero }
                return try finite(pow(Double(a), Double(b)))
            }
            return try whole(try power(a, b))
        }
        guard !result.overflow else { throw overflow }
        return try whole(result.partialValue)
    }

    /// A whole number as a value.
    static func whole(_ value: Int128) throws(EvaluationError) -> MetadataValue {
        if let value = Int64(exactly: value) { return .integer(value) }
        guard let value = UInt64(exactly: value) else { throw overflow }
        return .unsigned(value)
    }

    /// By squaring, so that a large exponent takes 64 steps at most.
    private static func power(_ base: Int128, _ exponent: Int128) throws(EvaluationError) -> Int128 {
        var result: Int128 = 1
        var factor = base
        var rest = exponent
        while true {
            if rest & 1 == 1 {
                let (product, overflow) = result.multipliedReportingOverflow(by: factor)
                guard !overflow else { throw Arithmetic.overflow }
                result = product
            }
            rest >>= 1
            if rest == 0 { return result }
            let (square, overflow) = factor.multipliedReportingOverflow(by: factor)
            guard !overflow else { throw Arithmetic.overflow }
            factor = square
        }
    }
}
