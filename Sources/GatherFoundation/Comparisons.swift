// Converts comparisons with Swift's meaning.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// Writes comparisons that are true when Swift's are.
///
/// Swift compares strings by canonical equivalence, as `[n]` does.
enum Comparisons {
    enum Operator: String {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        var reversed: Operator {
            switch self {
            case .equal, .notEqual: self
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            }
        }
    }

    static func compare(_ left: Value, _ operation: Operator, _ right: Value) -> Condition {
        apart(left) { left in
            apart(right) { right in
                if left.constant != nil, right.constant == nil { return plain(right, operation.reversed, left) }
                return plain(left, operation, right)
            }
        }
    }

    /// Writes a condition on `base ?? fallback` as one on either.
    static func apart(_ value: Value, _ condition: (Value) -> Condition) -> Condition {
        guard value.parts.count == 2 else { return condition(value) }
        let base = value.parts[0]
        let present = condition(base)
        let guarded = present.falseWithout.contains(base.text) ? present : Condition.isPresent(base.text).and(present)
        return guarded.or(Condition.isNil(base.text).and(apart(value.parts[1], condition)))
    }

    private static func plain(_ left: Value, _ operation: Operator, _ right: Value) -> Condition {
        if let a = left.constant, let b = right.constant { return .constant(holds(a, operation, b)) }
        if right.constant == MetadataValue.none {
            switch operation {
            case .equal: return .isNil(left.text)
            case .notEqual: return .isPresent(left.text)
            default: return .constant(false)
            }
        }
        var absence: Set<String> = []
        if operation == .equal, right.constant != nil { absence = left.nilWithout }
        if operation != .equal, operation != .notEqual { absence = left.nilWithout.union(right.nilWithout) }
        return condition(
            left, operation.rawValue + options(left, right, inOrder: operation != .equal && operation != .notEqual),
            right,
            falseWithout: absence)
    }

    static func condition(
        _ left: Value, _ operation: String, _ right: Value, falseWithout: Set<String>
    ) -> Condition {
        var condition = Condition("\(left.text) \(operation) \(right.text)", falseWithout: falseWithout)
        if left.isElement, right.constant != nil { condition.afterElement = " \(operation) \(right.text)" }
        return condition
    }

    /// Adds `[n]` to a comparison of text, unless the result is the same without it.
    private static func options(_ left: Value, _ right: Value, inOrder: Bool = false) -> String {
        guard [left.sort, right.sort].contains(where: { $0 == .text || $0 == .list }) else { return "" }
        // A character that equals no other may still sort differently in decomposed form.
        if inOrder { return "[n]" }
        for constant in [left.constant, right.constant].compactMap({ $0 }) {
            let values = if case .array(let elements) = constant { elements } else { [constant] }
            let areAlone = values.allSatisfy { value in
                if case .string(let text) = value { Literal.isAloneInItsClass(text) } else { true }
            }
            if areAlone { return "" }
        }
        return "[n]"
    }

    // MARK: Constants

    private static func holds(_ a: MetadataValue, _ operation: Operator, _ b: MetadataValue) -> Bool {
        let order: Int?
        switch (a, b) {
        case (.string(let a), .string(let b)): order = sign(a, b)
        case (.date(let a), .date(let b)): order = sign(a, b)
        case (.integer(let a), .integer(let b)): order = sign(a, b)
        case (.unsigned(let a), .unsigned(let b)): order = sign(a, b)
        case (.integer, .unsigned): order = -1
        case (.unsigned, .integer): order = 1
        case (.number(let a), .number(let b)): order = sign(a, b)
        default: order = a == b ? 0 : nil
        }
        guard let order else { return operation == .notEqual }
        return switch operation {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    private static func sign<Ordered: Comparable>(_ a: Ordered, _ b: Ordered) -> Int { a < b ? -1 : a == b ? 0 : 1 }

    // MARK: Text and lists

    /// Writes whether a text begins with or contains another one. For Swift, every text contains the empty one; for the
    /// language, none does.
    static func text(_ text: Value, _ operation: String, _ part: Value) -> Condition {
        apart(text) { text in
            apart(part) { part in
                if case .string(let needle) = part.constant {
                    if needle.isEmpty { return .constant(true) }
                    if case .string(let whole) = text.constant {
                        return .constant(
                            operation == "BEGINSWITH" ? whole.starts(with: needle) : whole.contains(needle))
                    }
                }
                let found = condition(
                    text, operation + "[n]", part,
                    falseWithout: text.nilWithout.union(part.nilWithout))
                return part.constant == nil ? Condition("\(part.text) == ''").or(found) : found
            }
        }
    }

    /// Writes whether a list has an element, or a text a character.
    static func contains(_ list: Value, _ element: Value) -> Condition {
        if list.sort == .text { return text(list, "CONTAINS", element) }
        return apart(list) { list in
            apart(element) { element in
                guard let values = list.list else {
                    return condition(
                        list, "CONTAINS" + options(list, element), element,
                        falseWithout: list.nilWithout.union(element.nilWithout))
                }
                if let constant = element.constant {
                    return .constant(values.contains { holds($0, .equal, constant) })
                }
                // nil can be an element in Swift. In the language, no list has it.
                let present = values.filter { $0 != .none }
                let others = Value(.array(present))
                let found =
                    present.isEmpty
                    ? Condition.constant(false)
                    : condition(
                        element, "IN" + options(element, others), others, falseWithout: element.nilWithout)
                return present.count == values.count ? found : found.or(.isNil(element.text))
            }
        }
    }
}
