// The attributes that a predicate reads, and its dependence on the clock.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension Predicate {
    /// The attributes that it reads.
    package var attributes: Set<Attribute> {
        var attributes: Set<Attribute> = []
        root.forEachExpression { if let attribute = $0.attribute { attributes.insert(attribute) } }
        return attributes
    }

    /// The times in it that are relative to now; empty where the predicate does not follow the clock.
    package var times: Set<TimeExpression> {
        var times: Set<TimeExpression> = []
        root.forEachExpression { if case .time(let time) = $0.kind { times.insert(time) } }
        return times
    }

    /// Whether the passing of time alone can change the answer for an item.
    package var followsClock: Bool { !times.isEmpty }

    /// The predicate at a moment, with every `now()` and `$time` as a date. A unit of time stands for its first moment;
    /// next to `==` and `!=` it is the whole unit.
    package func resolved(at now: Timestamp) -> Predicate {
        guard followsClock else { return self }
        return Predicate(mode: mode, root: root.replacingTimes(at: now))
    }
}

extension PredicateNode {
    /// Whether any part of it is relative to now.
    package var followsClock: Bool {
        var follows = false
        forEachExpression { if $0.time != nil { follows = true } }
        return follows
    }

    /// This part of a predicate at a moment; see ``Predicate/resolved(at:)``.
    package func resolved(at now: Timestamp) -> PredicateNode { replacingTimes(at: now) }

    fileprivate func replacingTimes(at now: Timestamp) -> PredicateNode {
        rewriting { (comparison, position) throws(Never) in
            if let time = comparison.right.time, let end = time.end(from: now), comparison.quantifier == nil,
                comparison.operation == .equal || comparison.operation == .notEqual
            {
                func bound(_ operation: Comparison.Operator, _ moment: Timestamp) -> PredicateNode {
                    let right = Expression(.constant(.date(moment)), at: comparison.right.position.offset)
                    let bound = Comparison(
                        comparison.left.replacingTimes(at: now), operation, right,
                        operatorPosition: comparison.operatorPosition.offset)
                    return PredicateNode(.comparison(bound), at: position.offset)
                }
                let inside = PredicateNode(
                    .and([bound(.greaterOrEqual, time.start(from: now)), bound(.less, end)]), at: position.offset)
                return comparison.operation == .equal ? inside : PredicateNode(.not(inside), at: position.offset)
            }
            var comparison = comparison
            comparison.left = comparison.left.replacingTimes(at: now)
            comparison.right = comparison.right.replacingTimes(at: now)
            return PredicateNode(.comparison(comparison), at: position.offset)
        }
    }
}

extension Expression {
    /// The time relative to now, where the expression is one and nothing else.
    package var time: TimeExpression? {
        guard case .time(let time) = kind else { return nil }
        return time
    }

    fileprivate func replacingTimes(at now: Timestamp) -> Expression {
        mapping { expression in
            guard let time = expression.time else { return nil }
            return Expression(.constant(.date(time.start(from: now))), at: expression.position.offset)
        }
    }
}
