// The attributes that a part of a predicate reads.
// SPDX-License-Identifier: Apache-2.0

import Metadata
package import PredicateLanguage

extension PredicateNode {
    /// The attributes that this part of a predicate reads, each once.
    var attributes: [Attribute] {
        var set = AttributeSet()
        collect(&set)
        return set.attributes
    }

    fileprivate func collect(_ set: inout AttributeSet) {
        if case .comparison(let comparison) = kind {
            comparison.left.collect(&set)
            comparison.right.collect(&set)
        }
        for child in children { child.collect(&set) }
    }
}

extension Predicate {
    /// The number of comparisons of content types. A plan evaluates each for all types, which takes as long as
    /// thousands of bytes of other text.
    package var typeComparisons: Int { root.typeComparisons }
}

extension PredicateNode {
    fileprivate var typeComparisons: Int {
        switch kind {
        case .comparison: attributes.contains { $0 == .contentType || $0 == .contentTypeTree } ? 1 : 0
        default: children.reduce(0) { $0 + $1.typeComparisons }
        }
    }
}

extension Expression {
    fileprivate func collect(_ set: inout AttributeSet) {
        switch kind {
        case .attribute(let attribute): set.insert(attribute)
        case .constant, .evaluatedObject, .key, .variable, .time: break
        case .member(let base, _), .aggregate(let base, _, path: _), .end(let base, _), .negation(let base),
            .cast(let base, _, _):
            base.collect(&set)
        case .index(let a, let b), .arithmetic(let a, _, let b):
            a.collect(&set)
            b.collect(&set)
        case .array(let elements), .function(_, let elements): for element in elements { element.collect(&set) }
        case .ternary(let condition, let a, let b):
            condition.collect(&set)
            a.collect(&set)
            b.collect(&set)
        case .subquery(let collection, variable: _, let condition):
            collection.collect(&set)
            condition.collect(&set)
        }
    }
}
