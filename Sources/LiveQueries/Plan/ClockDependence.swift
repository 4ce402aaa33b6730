// How the answer of a plan follows the clock.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
package import PredicateLanguage

/// How the answer of a plan follows the clock: what dates are compared with, and so when an item enters or leaves.
///
/// - `modified > $time.now(-60)` compares with a date that moves along: an item changes sides 60 seconds after its own
///   date. Such comparisons are *ages*.
/// - `created == $time.today` compares with the bounds of a unit of time, which jump when the unit is over.
/// - Anything else (`TERNARY`, `CAST`, a list) is *opaque*: nobody knows when it changes.
struct ClockDependence: Sendable {
    struct Age: Sendable, Hashable {
        let column: IntegerColumn
        let seconds: Int64
    }

    struct Unit: Sendable, Hashable {
        let column: IntegerColumn
        let time: TimeExpression
    }

    let predicate: Predicate
    private(set) var ages: [Age] = []
    private(set) var units: [Unit] = []
    private(set) var isOpaque = false
    /// Those of the units, without how many.
    private var kinds: Set<TimeExpression.Unit> = []

    /// Nil where the predicate does not follow the clock.
    init?(_ predicate: Predicate) {
        guard predicate.followsClock else { return nil }
        self.predicate = predicate
        var known = Known()
        add(predicate.root, &known)
        kinds = Set(units.map(\.time.unit))
    }

    /// What was found already: there may be ten thousand.
    private struct Known {
        var ages: Set<Age> = []
        var units: Set<Unit> = []
    }

    private mutating func add(_ node: PredicateNode, _ known: inout Known) {
        for child in node.children { add(child, &known) }
        guard case .comparison(let comparison) = node.kind, node.followsClock else { return }
        guard let column = comparison.dateColumn, let operands = ClockDependence.operands(of: comparison) else {
            isOpaque = true
            return
        }
        for operand in operands {
            if let time = operand.time {
                add(column, time, &known)
            } else if operand.constant == nil {
                isOpaque = true
            }
        }
    }

    /// What the left side is compared with, one by one; nil where that is not plain.
    private static func operands(of comparison: Comparison) -> [Expression]? {
        switch comparison.operation {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: return [comparison.right]
        case .between:
            guard case .array(let bounds) = comparison.right.kind else { return nil }
            return bounds
        default: return nil
        }
    }

    private mutating func add(_ column: IntegerColumn, _ time: TimeExpression, _ known: inout Known) {
        if time.unit == .now {
            let age = Age(column: column, seconds: time.count)
            if known.ages.insert(age).inserted { ages.append(age) }
        } else {
            let unit = Unit(column: column, time: time)
            if known.units.insert(unit).inserted { units.append(unit) }
        }
    }

    /// When the first of the units that are compared with is over; nil where there are none.
    func endOfUnits(from now: Timestamp) -> Int64? {
        kinds.compactMap { TimeExpression($0).end(from: now)?.nanoseconds }.min()
    }

    /// Whether what was compiled at one moment is right at another: but for ages, dates are compared with the same.
    func isAlike(_ a: Timestamp, _ b: Timestamp) -> Bool {
        a == b
            || !isOpaque && kinds.allSatisfy { TimeExpression($0).start(from: a) == TimeExpression($0).start(from: b) }
    }

    /// Tests for the rows whose dates lie between what they are compared with at one moment and at another: no other can
    /// have another answer at the one than at the other, unless the dependence is opaque.
    func crossing(_ a: Timestamp, _ b: Timestamp) -> PlanNode {
        var parts: [PlanNode] = []
        func add(_ column: IntegerColumn, _ x: Timestamp, _ y: Timestamp) {
            if x == y { return }
            parts.append(
                .all([
                    .test(.number(column, .greaterOrEqual, min(x, y).nanoseconds)),
                    .test(.number(column, .lessOrEqual, max(x, y).nanoseconds)),
                ]))
        }
        for age in ages {
            let time = TimeExpression(.now, age.seconds)
            add(age.column, time.start(from: a), time.start(from: b))
        }
        for unit in units {
            add(unit.column, unit.time.start(from: a), unit.time.start(from: b))
            // Equality with a unit goes by its end too.
            if let end = unit.time.end(from: a), let later = unit.time.end(from: b) { add(unit.column, end, later) }
        }
        return .any(parts)
    }

    /// The first moment after `now` at which a date of an item changes sides; nil where none will.
    ///
    /// `date > now + s` ends when `now` is `date - s`, `date >= now + s` a nanosecond later.
    func nextMoment(of status: FileStatus, after now: Timestamp) -> Int64? {
        var next: Int64?
        for age in ages {
            guard let date = status.number(age.column) else { continue }
            let (offset, overflow) = age.seconds.multipliedReportingOverflow(by: 1_000_000_000)
            let (equal, overflow2) = date.subtractingReportingOverflow(offset)
            let (later, overflow3) = equal.addingReportingOverflow(1)
            if overflow || overflow2 || overflow3 || later <= now.nanoseconds { continue }
            let moment = equal > now.nanoseconds ? equal : later
            next = min(next ?? moment, moment)
        }
        return next
    }
}

extension Predicate {
    /// Whether it follows the clock so that nobody knows when its answer changes, and it is asked again now and then.
    package var isAskedAgain: Bool { ClockDependence(self)?.isOpaque ?? false }
}

extension PlanNode {
    /// The same without what follows the clock or can fail, each taken for true or for false, whatever lets more rows
    /// through (`upper`) or fewer. A row for which the one holds and the other does not is one whose answer may change.
    func bound(upper: Bool) -> PlanNode {
        switch kind {
        case .constant: return self
        case .all(let parts): return .all(parts.map { $0.bound(upper: upper) })
        case .any(let parts): return .any(parts.map { $0.bound(upper: upper) })
        case .not(let part): return .not(part.bound(upper: !upper))
        case .test(.age): return .constant(upper)
        case .test(let test): return test.isFallible ? .constant(upper) : self
        }
    }
}

extension Comparison {
    /// The column of the date that is compared, where the left side is nothing but one and every operator compares it
    /// plainly.
    fileprivate var dateColumn: IntegerColumn? {
        guard quantifier == nil, options.isEmpty else { return nil }
        return left.attribute.flatMap { IntegerColumn(date: $0) }
    }
}

extension IntegerColumn {
    init?(date attribute: Attribute) {
        switch attribute {
        case .created: self = .created
        case .modified: self = .modified
        case .changed: self = .changed
        default: return nil
        }
    }
}

// MARK: Compiling

extension PlanCompiler {
    /// A date compared with `$time.now(n)`, which is worked out when it is tested; nil for anything else.
    func compileAge(_ comparison: Comparison) -> PlanNode? {
        guard let column = comparison.dateColumn else { return nil }
        func test(_ operation: IntegerComparison, _ operand: Expression) -> PlanNode? {
            if let time = operand.time {
                if time.unit == .now { return .test(.age(column, operation, seconds: time.count)) }
                return .test(.number(column, operation, time.start(from: environment.now).nanoseconds))
            }
            guard case .date(let date) = operand.constant else { return nil }
            return .test(.number(column, operation, date.nanoseconds))
        }
        if comparison.operation == .between {
            guard case .array(let bounds) = comparison.right.kind, bounds.count == 2,
                let low = test(.greaterOrEqual, bounds[0]), let high = test(.lessOrEqual, bounds[1])
            else { return nil }
            return .all([low, high])
        }
        // Next to == and != a unit is more than its first moment.
        guard let time = comparison.right.time, time.unit == .now || comparison.operation.isOrdering else { return nil }
        switch comparison.operation {
        case .equal: return test(.equal, comparison.right)
        // A missing time of birth is not equal to any.
        case .notEqual: return test(.equal, comparison.right).map(PlanNode.not)
        case .less: return test(.less, comparison.right)
        case .lessOrEqual: return test(.lessOrEqual, comparison.right)
        case .greater: return test(.greater, comparison.right)
        case .greaterOrEqual: return test(.greaterOrEqual, comparison.right)
        default: return nil
        }
    }
}
