// The canonical text of a syntax tree.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension PredicateNode: CustomStringConvertible {
    /// The canonical text; it reads back as the same tree.
    package var description: String {
        var printer = Printer()
        printer.print(self)
        return printer.text
    }
}

extension Expression: CustomStringConvertible {
    /// The canonical text; it reads back as the same tree.
    package var description: String {
        var printer = Printer()
        printer.print(self)
        return printer.text
    }
}

/// Writes trees as text, with parentheses only where precedence needs them.
private struct Printer {
    var text = ""

    // MARK: Predicates

    mutating func print(_ node: PredicateNode) {
        switch node.kind {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let terms): print(terms, joinedBy: " AND ")
        case .or(let terms): print(terms, joinedBy: " OR ")
        case .not(let term):
            text += "NOT "
            print(term, inParentheses: !term.isTight)
        case .comparison(let comparison):
            if let quantifier = comparison.quantifier { text += quantifier.rawValue + " " }
            print(comparison.left)
            text += " \(comparison.operation.rawValue)\(comparison.options.text) "
            print(comparison.right)
        }
    }

    private mutating func print(_ terms: [PredicateNode], joinedBy connective: String) {
        for (index, term) in terms.enumerated() {
            if index > 0 { text += connective }
            // OR in OR and AND in AND keep their parentheses, so that the text reads back as the same tree.
            let isAndInOr = if case .and = term.kind { connective == " OR " } else { false }
            print(term, inParentheses: !term.isTight && !isAndInOr)
        }
    }

    private mutating func print(_ node: PredicateNode, inParentheses: Bool) {
        if inParentheses { text += "(" }
        print(node)
        if inParentheses { text += ")" }
    }

    // MARK: Expressions

    mutating func print(_ expression: Expression) {
        switch expression.kind {
        case .constant(let value): print(value)
        case .evaluatedObject: text += "SELF"
        case .key(let name): printKey(name)
        case .attribute(.extended(let name)): printExtended(name)
        case .attribute(let attribute): text += attribute.name
        case .variable(let name): text += "$" + name
        case .member(let base, let name):
            printBase(base, isPath: true)
            text += "."
            printKey(name)
        case .aggregate(let base, let aggregate, let path):
            printBase(base, isPath: true)
            text += ".@" + aggregate.rawValue
            for name in path {
                text += "."
                printKey(name)
            }
        case .end(let base, let end):
            printBase(base)
            text += "[\(end.rawValue)]"
        case .index(let base, let index):
            printBase(base)
            text += "["
            // A bare key `first` in brackets would read back as FIRST.
            if case .key(let name) = index.kind, Expression.CollectionEnd(rawValue: name.uppercased()) != nil {
                text += "#"
            }
            print(index)
            text += "]"
        case .array(let elements): printList("{", elements, "}")
        case .negation(let operand):
            text += "-"
            let isBare =
                switch operand.kind {
                case .arithmetic, .constant: false
                default: true
                }
            print(operand, inParentheses: !isBare)
        case .arithmetic(let left, let operation, let right):
            print(left, inParentheses: needsParentheses(left, in: operation, isLeft: true))
            text += " \(operation.rawValue) "
            print(right, inParentheses: needsParentheses(right, in: operation, isLeft: false))
        case .function(let function, let arguments):
            text += function.rawValue
            printList("(", arguments, ")")
        case .cast(let operand, let type, _):
            text += "CAST("
            print(operand)
            text += ", '\(type.rawValue)')"
        case .ternary(let condition, let first, let second):
            text += "TERNARY("
            print(condition)
            text += ", "
            print(first)
            text += ", "
            print(second)
            text += ")"
        case .subquery(let collection, let variable, let condition):
            text += "SUBQUERY("
            print(collection)
            text += ", $\(variable), "
            print(condition)
            text += ")"
        case .time(let time):
            if time == TimeExpression(.now) {
                text += "now()"
            } else {
                text += "$time.\(time.unit.rawValue)(\(time.count))"
            }
        }
    }

    private mutating func print(_ expression: Expression, inParentheses: Bool) {
        if inParentheses { text += "(" }
        print(expression)
        if inParentheses { text += ")" }
    }

    private mutating func printList(_ open: String, _ elements: [Expression], _ close: String) {
        text += open
        for (index, element) in elements.enumerated() {
            if index > 0 { text += ", " }
            print(element)
        }
        text += close
    }

    /// Writes a base before a bracket, or before the dot of a path.
    private mutating func printBase(_ base: Expression, isPath: Bool = false) {
        let isBare =
            switch base.kind {
            case .negation, .arithmetic: false
            // A digit and a dot would be a fraction, and a sign binds less tightly than a path.
            case .constant(.integer), .constant(.unsigned), .constant(.number): false
            // The rest of the path would belong to the operator.
            case .aggregate: !isPath
            default: true
            }
        print(base, inParentheses: !isBare)
    }

    private func needsParentheses(_ operand: Expression, in operation: Expression.Arithmetic, isLeft: Bool) -> Bool {
        guard case .arithmetic(_, let inner, _) = operand.kind else { return false }
        if inner.precedence != operation.precedence { return inner.precedence < operation.precedence }
        return operation == .power ? isLeft : !isLeft
    }

    private mutating func printKey(_ name: String) {
        if Keyword(word: name) != nil { text += "#" }
        text += name
    }

    /// Writes `xattr.NAME` where the parts of the name are keys, and `xattr['NAME']` for other names.
    private mutating func printExtended(_ name: ExtendedAttributeName) {
        text += AttributeNames.extendedKey
        let parts = name.text.split(separator: ".", omittingEmptySubsequences: false)
        let areKeys = parts.allSatisfy { part in
            part.utf8.first?.isNameStart ?? false && part.utf8.allSatisfy(\.isNamePart)
        }
        guard areKeys else {
            text += "[" + PredicateText.literal(name.text) + "]"
            return
        }
        for part in parts {
            text += "."
            printKey(String(part))
        }
    }

    // MARK: Literals

    private mutating func print(_ value: MetadataValue) {
        switch value {
        case .none: text += "NULL"
        case .boolean(let value): text += value ? "TRUE" : "FALSE"
        case .integer(let value): text += String(value)
        case .unsigned(let value): text += String(value)
        case .number(let value): text += String(value)
        case .string(let value): text += PredicateText.literal(value)
        case .date(let value): text += "CAST('\(value.rfc3339)', 'NSDate')"
        case .array(let values):
            text += "{"
            for (index, value) in values.enumerated() {
                if index > 0 { text += ", " }
                print(value)
            }
            text += "}"
        case .dictionary: text += "NULL"
        }
    }
}

extension PredicateNode {
    /// Whether it needs no parentheses under NOT, AND and OR.
    fileprivate var isTight: Bool {
        switch kind {
        case .and, .or: false
        default: true
        }
    }
}

extension Expression.Arithmetic {
    fileprivate var precedence: Int {
        switch self {
        case .add, .subtract: 0
        case .multiply, .divide: 1
        case .power: 2
        }
    }
}
