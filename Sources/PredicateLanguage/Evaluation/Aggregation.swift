// One value from many: counts, sums, extremes.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Computes one value from a list, for functions and for `@…` in key paths. Only the count includes nil elements.
enum Aggregation {
    static func value(
        of aggregate: Expression.Aggregate, path: [String] = [], over collection: MetadataValue
    ) throws(EvaluationError) -> MetadataValue {
        if collection == .none { return .none }
        let all = try elements(collection, name: aggregate.rawValue)
        if aggregate == .count { return .integer(Int64(all.count)) }
        let values = all.map { path.reduce($0) { $1 == "self" ? $0 : $0.member($1) } }.filter { $0 != .none }
        switch aggregate {
        case .count: return .integer(Int64(all.count))
        case .sum: return try sum(values)
        case .average:
            guard !values.isEmpty, let sum = Number(try sum(values)) else { return .none }
            return .number(sum.floating / Double(values.count))
        case .min: return try extreme(values) { $0 < 0 }
        case .max: return try extreme(values) { $0 > 0 }
        }
    }

    private static func numbers(
        _ collection: MetadataValue, name: String
    ) throws(EvaluationError) -> [Number] {
        var numbers: [Number] = []
        for value in try elements(collection, name: name) where value != .none {
            guard let number = Number(value) else {
                throw EvaluationError("\(name) takes numbers, and this is \(value.noun)")
            }
            numbers.append(number)
        }
        return numbers
    }

    /// The standard deviation of the whole population, not an estimate from a sample.
    static func standardDeviation(_ collection: MetadataValue) throws(EvaluationError) -> MetadataValue {
        let values = try numbers(collection, name: "stddev").map(\.floating)
        guard !values.isEmpty else { return .none }
        let count = Double(values.count)
        let mean = values.reduce(0, +) / count
        let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
        return try Arithmetic.finite(variance.squareRoot())
    }

    /// The most frequent values, in the order of their first occurrence.
    static func mode(_ collection: MetadataValue) throws(EvaluationError) -> MetadataValue {
        let sorted = try numbers(collection, name: "mode").enumerated().sorted { a, b in
            let order = a.element.order(to: b.element)
            return order == 0 ? a.offset < b.offset : order < 0
        }
        var runs: [(first: Int, value: Number, count: Int)] = []
        for (offset, number) in sorted {
            if let last = runs.last, last.value.order(to: number) == 0 {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((offset, number, 1))
            }
        }
        let most = runs.map(\.count).max()
        return .array(runs.filter { $0.count == most }.sorted { $0.first < $1.first }.map(\.value.value))
    }

    static func median(_ collection: MetadataValue) throws(EvaluationError) -> MetadataValue {
        var numbers = try numbers(collection, name: "median")
        guard !numbers.isEmpty else { return .none }
        numbers.sort { $0.order(to: $1) < 0 }
        let middle = numbers[numbers.count / 2]
        if numbers.count % 2 == 1 { return middle.value }
        return .number((numbers[numbers.count / 2 - 1].floating + middle.floating) / 2)
    }

    private static func elements(
        _ collection: MetadataValue, name: String
    ) throws(EvaluationError) -> [MetadataValue] {
        switch collection {
        case .array(let elements): return elements
        default: throw EvaluationError("\(name) takes a list, and this is \(collection.noun)")
        }
    }

    private static func sum(_ values: [MetadataValue]) throws(EvaluationError) -> MetadataValue {
        var sum = MetadataValue.integer(0)
        for value in values { sum = try Arithmetic.apply(.add, sum, value) }
        return sum
    }

    private static func extreme(
        _ values: [MetadataValue], _ isBetter: (Int) -> Bool
    ) throws(EvaluationError) -> MetadataValue {
        guard var best = values.first else { return .none }
        for value in values.dropFirst() where isBetter(try value.order(to: best, [])) { best = value }
        return best
    }
}
