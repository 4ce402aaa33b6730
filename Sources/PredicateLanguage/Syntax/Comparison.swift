// One comparison of a predicate: two expressions and the operator between them.
// SPDX-License-Identifier: Apache-2.0

package import ContentTypes

/// One comparison: two expressions, the operator between them, its options, and whether it ranges over a collection.
package struct Comparison: Sendable, Hashable {
    package enum Operator: String, Sendable, Hashable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case between = "BETWEEN"
        case `in` = "IN"
        case contains = "CONTAINS"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        case like = "LIKE"
        case matches = "MATCHES"
        case conformsTo = "UTI-CONFORMS-TO"
        case sameType = "UTI-EQUALS"

        /// Whether both sides must be text or nil: BEGINSWITH, ENDSWITH, LIKE, MATCHES and the operators over content
        /// types.
        package var needsText: Bool {
            switch self {
            case .beginsWith, .endsWith, .like, .matches: true
            default: isOverTypes
            }
        }

        /// Whether it compares content types: UTI-CONFORMS-TO and UTI-EQUALS.
        package var isOverTypes: Bool { self == .conformsTo || self == .sameType }

        /// Whether it is `<`, `<=`, `>` or `>=`.
        package var isOrdering: Bool {
            switch self {
            case .less, .lessOrEqual, .greater, .greaterOrEqual: true
            default: false
            }
        }

        /// The operator that gives the same answer with its sides exchanged; nil where there is none.
        package var reversed: Operator? {
            switch self {
            case .equal, .notEqual, .sameType: self
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            case .in: .contains
            case .contains: .in
            case .between, .beginsWith, .endsWith, .like, .matches, .conformsTo: nil
            }
        }
    }

    /// The elements of the left side for which the comparison must hold. NONE is the negation of ANY; SOME is another
    /// word for ANY.
    package enum Quantifier: String, Sendable, Hashable, CaseIterable {
        case any = "ANY"
        case all = "ALL"
        case none = "NONE"
    }

    package var quantifier: Quantifier?
    package var left: Expression
    package var operation: Operator
    package var options: TextOptions
    package var right: Expression
    /// The place of the operator. The comparison itself begins at its node's position.
    package var operatorPosition: BytePosition
    /// The compiled constant; set where the right side is constant text that the left side is compared with as text.
    package internal(set) var pattern: TextPattern?
    /// The compiled list of IN; set where the right side is a list of constants.
    package internal(set) var texts: TextSet?
    /// The database of types; set for the operators over content types.
    package internal(set) var types: ContentTypeDatabase?

    package init(
        quantifier: Quantifier? = nil, _ left: Expression, _ operation: Operator, options: TextOptions = [],
        _ right: Expression, operatorPosition: Int = 0
    ) {
        self.quantifier = quantifier
        self.left = left
        self.operation = operation
        self.options = options
        self.right = right
        self.operatorPosition = BytePosition(operatorPosition)
    }

    // The pattern and the texts follow from the other properties, and the types belong to the machine.

    package static func == (a: Comparison, b: Comparison) -> Bool {
        a.quantifier == b.quantifier && a.left == b.left && a.operation == b.operation && a.options == b.options
            && a.right == b.right
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(quantifier)
        hasher.combine(left)
        hasher.combine(operation)
        hasher.combine(options)
        hasher.combine(right)
    }
}
