// Walks a tree and replaces its comparisons.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension PredicateNode {
    /// Returns the tree with every comparison replaced. Comparisons inside expressions are replaced first.
    func rewriting<Failure>(
        _ replace: (Comparison, BytePosition) throws(Failure) -> PredicateNode
    ) throws(Failure) -> PredicateNode {
        var node = self
        switch kind {
        case .constant: break
        case .and(let terms): node.kind = .and(try PredicateNode.rewriting(terms, replace))
        case .or(let terms): node.kind = .or(try PredicateNode.rewriting(terms, replace))
        case .not(let term): node.kind = .not(try term.rewriting(replace))
        case .comparison(var comparison):
            comparison.left = try comparison.left.rewriting(replace)
            comparison.right = try comparison.right.rewriting(replace)
            return try replace(comparison, position)
        }
        return node
    }

    private static func rewriting<Failure>(
        _ terms: [PredicateNode], _ replace: (Comparison, BytePosition) throws(Failure) -> PredicateNode
    ) throws(Failure) -> [PredicateNode] {
        var result: [PredicateNode] = []
        for term in terms { result.append(try term.rewriting(replace)) }
        return result
    }

    /// Calls `visit` for every expression of the tree, outer ones before inner ones.
    func forEachExpression(_ visit: (Expression) -> Void) {
        switch kind {
        case .constant: break
        case .and(let terms), .or(let terms): for term in terms { term.forEachExpression(visit) }
        case .not(let term): term.forEachExpression(visit)
        case .comparison(let comparison):
            comparison.left.forEach(visit)
            comparison.right.forEach(visit)
        }
    }
}

extension Expression {
    /// Returns the expression with every comparison inside it replaced.
    func rewriting<Failure>(
        _ replace: (Comparison, BytePosition) throws(Failure) -> PredicateNode
    ) throws(Failure) -> Expression {
        try mapChildren { (child) throws(Failure) in
            try child.rewriting(replace)
        } predicate: { (node) throws(Failure) in
            try node.rewriting(replace)
        }
    }

    /// Returns the expression with parts replaced by `replacement`, outer ones first; nil keeps a part. Predicates
    /// inside it stay.
    func mapping(_ replacement: (Expression) -> Expression?) -> Expression {
        replacement(self)
            ?? mapChildren {
                $0.mapping(replacement)
            } predicate: {
                $0
            }
    }

    /// Returns the expression with its direct parts replaced.
    private func mapChildren<Failure>(
        _ map: (Expression) throws(Failure) -> Expression,
        predicate: (PredicateNode) throws(Failure) -> PredicateNode
    ) throws(Failure) -> Expression {
        func all(_ expressions: [Expression]) throws(Failure) -> [Expression] {
            var result: [Expression] = []
            for expression in expressions { result.append(try map(expression)) }
            return result
        }
        let kind: Kind
        switch self.kind {
        case .constant, .evaluatedObject, .key, .attribute, .variable, .time: return self
        case .member(let base, let name): kind = .member(try map(base), name)
        case .aggregate(let base, let aggregate, let path): kind = .aggregate(try map(base), aggregate, path: path)
        case .end(let base, let end): kind = .end(try map(base), end)
        case .index(let base, let index): kind = .index(try map(base), try map(index))
        case .array(let elements): kind = .array(try all(elements))
        case .negation(let operand): kind = .negation(try map(operand))
        case .arithmetic(let a, let operation, let b): kind = .arithmetic(try map(a), operation, try map(b))
        case .function(let function, let arguments): kind = .function(function, try all(arguments))
        case .cast(let operand, let type, let zone): kind = .cast(try map(operand), type, zone)
        case .ternary(let condition, let a, let b): kind = .ternary(try predicate(condition), try map(a), try map(b))
        case .subquery(let collection, let variable, let condition):
            kind = .subquery(try map(collection), variable: variable, try predicate(condition))
        }
        return Expression(kind, at: position.offset)
    }

    func forEach(_ visit: (Expression) -> Void) {
        visit(self)
        switch kind {
        case .constant, .evaluatedObject, .key, .attribute, .variable, .time: break
        case .member(let base, _), .aggregate(let base, _, path: _), .end(let base, _), .negation(let base),
            .cast(let base, _, _):
            base.forEach(visit)
        case .index(let a, let b), .arithmetic(let a, _, let b):
            a.forEach(visit)
            b.forEach(visit)
        case .array(let elements), .function(_, let elements): for element in elements { element.forEach(visit) }
        case .ternary(let condition, let a, let b):
            condition.forEachExpression(visit)
            a.forEach(visit)
            b.forEach(visit)
        case .subquery(let collection, variable: _, let condition):
            collection.forEach(visit)
            condition.forEachExpression(visit)
        }
    }
}
