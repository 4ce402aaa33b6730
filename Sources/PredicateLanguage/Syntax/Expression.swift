// The part of a predicate's syntax tree that has a value.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// A part of a predicate that has a value. Equality ignores positions, as for ``PredicateNode``.
package struct Expression: Sendable, Hashable {
    package indirect enum Kind: Sendable, Hashable {
        /// A literal. Arrays and dictionaries do not occur here.
        case constant(MetadataValue)
        /// SELF, the evaluated object.
        case evaluatedObject
        /// A key of the evaluated object (objects only).
        case key(String)
        /// An attribute of the evaluated item (metadata only).
        case attribute(Attribute)
        /// `$name`, bound by the SUBQUERY around it.
        case variable(String)
        /// `base.name`: a key of a dictionary, mapped over an array; `length` of a string.
        case member(Expression, String)
        /// `base.@count`, `base.@max.path`: the path is read from each element.
        case aggregate(Expression, Aggregate, path: [String])
        /// `base[FIRST]`, `base[LAST]`, `base[SIZE]`.
        case end(Expression, CollectionEnd)
        /// `base[expression]`: an element by number from 0, or a dictionary's value by key.
        case index(Expression, Expression)
        /// `{a, b}`.
        case array([Expression])
        case negation(Expression)
        case arithmetic(Expression, Arithmetic, Expression)
        case function(Function, [Expression])
        /// `CAST(value, 'NSDate')`, with the zone of a text that names none.
        case cast(Expression, CastType, LocalZone)
        case ternary(PredicateNode, Expression, Expression)
        case subquery(Expression, variable: String, PredicateNode)
        /// `now()` and `$time…`, which follow the clock.
        case time(TimeExpression)
    }

    /// A value that `@…` in a key path computes from a collection.
    package enum Aggregate: String, Sendable, Hashable, CaseIterable {
        case count, min, max, sum
        case average = "avg"
    }

    package enum CollectionEnd: String, Sendable, Hashable, CaseIterable {
        case first = "FIRST"
        case last = "LAST"
        case size = "SIZE"
    }

    package enum Arithmetic: String, Sendable, Hashable, CaseIterable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case power = "**"
    }

    package enum CastType: String, Sendable, Hashable, CaseIterable {
        case number = "NSNumber"
        case string = "NSString"
        case date = "NSDate"
    }

    package let kind: Kind
    package let position: BytePosition
    /// The number of levels, this one included. The parser keeps it below ``PredicateLimits/nesting``, so that code
    /// that walks the tree may recurse.
    package let height: Int

    package init(_ kind: Kind, at position: Int = 0) {
        self.kind = kind
        self.position = BytePosition(position)
        switch kind {
        case .constant, .evaluatedObject, .key, .attribute, .variable, .time: height = 1
        case .member(let base, _), .end(let base, _), .negation(let base), .cast(let base, _, _):
            height = 1 + base.height
        case .aggregate(let base, _, let path): height = 1 + base.height + path.count
        case .index(let a, let b), .arithmetic(let a, _, let b): height = 1 + max(a.height, b.height)
        case .array(let elements), .function(_, let elements):
            height = 1 + (elements.lazy.map(\.height).max() ?? 0)
        case .ternary(let predicate, let a, let b): height = 1 + max(predicate.height, max(a.height, b.height))
        case .subquery(let base, _, let predicate): height = 1 + max(base.height, predicate.height)
        }
    }

    /// The value, where the expression is a literal.
    package var constant: MetadataValue? {
        guard case .constant(let value) = kind else { return nil }
        return value
    }

    /// The attribute, where the expression is one and nothing else.
    package var attribute: Attribute? {
        guard case .attribute(let attribute) = kind else { return nil }
        return attribute
    }

    /// The elements of an array; of any other expression, the expression itself.
    package var elements: [Expression] {
        guard case .array(let elements) = kind else { return [self] }
        return elements
    }

    /// The values, where the expression is an array of literals.
    package var constantArray: [MetadataValue]? {
        guard case .array(let elements) = kind else { return nil }
        var values: [MetadataValue] = []
        for element in elements {
            guard let value = element.constant else { return nil }
            values.append(value)
        }
        return values
    }
}
