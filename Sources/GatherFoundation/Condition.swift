// A predicate of the language, and its precedence for composition.
// SPDX-License-Identifier: Apache-2.0

/// Text that is a predicate of the language.
struct Condition {
    enum Level: Comparable { case or, and, single }

    private(set) var text: String
    private(set) var level: Level
    /// The value of a condition that is always true or always false; nil for others.
    private(set) var constant: Bool?
    /// The expressions that make the condition false if they are nil.
    private(set) var falseWithout: Set<String>
    /// The rest of a comparison whose left side is the variable of a condition over elements.
    var afterElement: String?

    init(_ text: String, _ level: Level = .single, falseWithout: Set<String> = []) {
        self.text = text
        self.level = level
        self.falseWithout = falseWithout
    }

    static func constant(_ value: Bool) -> Condition {
        var condition = Condition(value ? "TRUEPREDICATE" : "FALSEPREDICATE")
        condition.constant = value
        return condition
    }

    static func isNil(_ expression: String) -> Condition { Condition("\(expression) == NIL") }
    static func isPresent(_ expression: String) -> Condition {
        Condition("\(expression) != NIL", falseWithout: [expression])
    }

    func and(_ other: Condition) -> Condition {
        if let constant { return constant ? other : self }
        if let constant = other.constant { return constant ? self : other }
        return Condition(
            inside(.and) + " AND " + other.inside(.and), .and, falseWithout: falseWithout.union(other.falseWithout))
    }

    func or(_ other: Condition) -> Condition {
        if let constant { return constant ? self : other }
        if let constant = other.constant { return constant ? other : self }
        return Condition(
            inside(.or) + " OR " + other.inside(.or), .or, falseWithout: falseWithout.intersection(other.falseWithout))
    }

    var negated: Condition {
        if let constant { return .constant(!constant) }
        return Condition("NOT " + (level == .single ? text : "(\(text))"))
    }

    private func inside(_ outer: Level) -> String { level < outer ? "(\(text))" : text }
}
