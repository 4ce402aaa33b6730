// The dependence of a plan's answer on the clock.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
package import PredicateLanguage

/// The dependence of a plan's answer on the clock, and the moments at which items enter or leave.
///
/// - `modified > $time.now(-60)` compares with a date that moves with the clock: an item changes sides 60 seconds after
///   its own date. Such comparisons are *ages*.
/// - `created == $time.today` compares with the bounds of a unit of time, which jump when the unit is over.
/// - Other comparisons (`TERNARY`, `CAST`, a list) are *opaque*: the moment of the next change is unknown.
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
    /// The units that occur, without their counts.
    private var kinds: Set<TimeExpression> = []

    /// Returns nil if the predicate does not follow the clock.
    init?(_ predicate: Predicate) {
        guard predicate.followsClock else { return nil }
        self.predicate = predicate
        var known = Known()
        add(predicate.root, &known)
        kinds = Set(units.map { TimeExpression($0.time.unit, in: $0.time.zone) })
    }

    /// The dates found so far; a predicate may have ten thousand.
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

    /// The values that the left side is compared with, one by one; nil where they are not plain.
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

    /// The end of the first unit that is compared with; nil where there is none.
    func endOfUnits(from now: Timestamp) -> Int64? {
        kinds.compactMap { $0.end(from: now)?.nanoseconds }.min()
    }

    /// Whether a plan compiled at one moment is right at another: apart from ages, dates are compared with the same
    /// values.
    func isAlike(_ a: Timestamp, _ b: Timestamp) -> Bool {
        a == b
            || !isOpaque && kinds.allSatisfy { $0.start(from: a) == $0.start(from: b) }
    }

    /// Returns tests for the rows whose dates lie between the compared values of the two moments. Unless the dependence
    /// is opaque, no other row can change its answer between them.
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
            // Equality with a unit depends on its end, too.
            if let end = unit.time.end(from: a), let later = unit.time.end(from: b) { add(unit.column, end, later) }
        }
        return .any(parts)
    }

    /// The first moment after `now` at which a date of an item changes sides; nil where there is none.
    ///
    /// `date > now + s` ends when `now` is `date - s`, and `date >= now + s` a nanosecond later.
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
    /// Whether the predicate follows the clock with unknown moments, so that it is evaluated again from time to time.
    package var isAskedAgain: Bool { ClockDependence(self)?.isOpaque ?? false }
}

extension PlanNode {
    /// Returns the node with every part that follows the clock or can fail as a constant: the one that lets more rows
    /// through (`upper`) or fewer. A row for which `upper` holds and the lower bound does not may change its answer.
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
    /// The column of the compared date, where the left side is a date attribute and the comparison is plain.
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
    /// Compiles a date compared with `$time.now(n)`, which is computed at each test; nil for other comparisons.
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
        // A missing time of birth equals no date.
        case .notEqual: return test(.equal, comparison.right).map(PlanNode.not)
        case .less: return test(.less, comparison.right)
        case .lessOrEqual: return test(.lessOrEqual, comparison.right)
        case .greater: return test(.greater, comparison.right)
        case .greaterOrEqual: return test(.greaterOrEqual, comparison.right)
        default: return nil
        }
    }
}
