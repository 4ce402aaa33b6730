// Converts attributes, their members, constants and arithmetic.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GatherKit

extension PredicateExpressions.Variable: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        guard let term = conversion.term(of: key) else { throw Conversion.refusal(of: self) }
        return term
    }
}

extension PredicateExpressions.Value: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        if let range = value as? any GatherRange { return .range(try range.gatherBounds()) }
        if Output.self == Bool.self || Output.self == Bool?.self {
            guard case .boolean(let value) = try GatherFoundation.value(ofConstant: value) else {
                return .truth(.absent)
            }
            return .truth(Truth(.constant(value)))
        }
        return .value(Value(try GatherFoundation.value(ofConstant: value)))
    }
}

extension PredicateExpressions.KeyPath: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        switch try conversion.term(root) {
        case .item:
            if let attribute = AttributeKeyPaths.attributes[keyPath] { return .value(Value(attribute)) }
            if let (condition, attribute) = AttributeKeyPaths.conditions[keyPath] {
                return .truth(
                    Truth(Condition(condition, falseWithout: [attribute.name]), nilWithout: [attribute.name]))
            }
            throw .keyPath("\(keyPath)")
        case .value(let value):
            if let term = term(of: value) { return term }
            throw .keyPath("\(keyPath)")
        default: throw .keyPath("\(keyPath)")
        }
    }

    private func term(of value: Value) -> Term? {
        if keyPath == \FileKind.isDirectory {
            return .truth(
                Truth(Condition("\(value.text) IN {'directory', 'package'}", falseWithout: value.nilWithout)))
        }
        func member(_ name: String, _ sort: Value.Sort) -> Value {
            Value(value.text + name, sort, nilWithout: value.nilWithout)
        }
        if keyPath == \String.utf16 {
            var units = value
            units.sort = .codeUnits
            return .value(units)
        }
        if keyPath == \String.UTF16View.count, value.sort == .codeUnits { return .value(member(".length", .number)) }
        switch (kind, value.sort) {
        case (.collectionCount, .list): return .value(member(".@count", .number))
        case (.collectionIsEmpty, .list):
            return .truth(Truth(Comparisons.compare(member(".@count", .number), .equal, Value(.integer(0)))))
        case (.collectionIsEmpty, .text), (.collectionIsEmpty, .codeUnits):
            return .truth(Truth(Comparisons.compare(value, .equal, Value(.string("")))))
        case (.collectionFirst, .list): return .value(member("[FIRST]", .text))
        case (.bidirectionalCollectionLast, .list): return .value(member("[LAST]", .text))
        default: return nil
        }
    }
}

extension PredicateExpressions.CollectionIndexSubscript: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let list = try conversion.value(wrapped)
        guard list.sort == .list else { throw Conversion.refusal(of: self) }
        let index = try conversion.value(index)
        return .value(Value("\(list.text)[\(index.text)]", .text, nilWithout: list.nilWithout))
    }
}

// MARK: Arithmetic

extension Value {
    fileprivate func combined(_ operation: String, _ other: Value) -> Value {
        Value("(\(text) \(operation) \(other.text))", .number, nilWithout: nilWithout.union(other.nilWithout))
    }
}

extension PredicateExpressions.Arithmetic: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let left = try conversion.value(lhs)
        let right = try conversion.value(rhs)
        let sign =
            switch op {
            case .add: "+"
            case .subtract: "-"
            case .multiply: "*"
            @unknown default: throw Conversion.refusal(of: self)
            }
        return .value(left.combined(sign, right))
    }
}

extension PredicateExpressions.IntDivision: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let left = try conversion.value(lhs)
        return .value(left.combined("/", try conversion.value(rhs)))
    }
}

extension PredicateExpressions.FloatDivision: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let left = try conversion.value(lhs)
        return .value(left.combined("/", try conversion.value(rhs)))
    }
}

extension PredicateExpressions.IntRemainder: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let left = try conversion.value(lhs)
        let right = try conversion.value(rhs)
        return .value(
            Value(
                "modulus:by:(\(left.text), \(right.text))", .number,
                nilWithout: left.nilWithout.union(right.nilWithout)))
    }
}

extension PredicateExpressions.UnaryMinus: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let value = try conversion.value(wrapped)
        return .value(Value("(-\(value.text))", .number, nilWithout: value.nilWithout))
    }
}
