// The rows that each step of a plan left, and its duration.
// SPDX-License-Identifier: Apache-2.0

/// One executed step of a plan.
package struct PlanStep: Sendable, Hashable {
    /// The step as text.
    package let text: String
    /// The number of items left after it.
    package internal(set) var rows = 0
    /// Its duration.
    package internal(set) var nanoseconds: UInt64 = 0

    init(text: String) { self.text = text }
}

/// A plan executed once, over one container or several.
package struct PlanAnalysis: Sendable, Hashable {
    /// The number of items that the viewer may see.
    package private(set) var rows: Int
    /// The steps in order. The last one leaves the matching items; without steps all match.
    package private(set) var steps: [PlanStep]

    package init() { (rows, steps) = (0, []) }

    init(rows: Int, steps: [PlanStep]) { (self.rows, self.steps) = (rows, steps) }

    /// The number of matching items.
    package var matches: Int { steps.last?.rows ?? rows }

    /// Adds the analysis for another container. Plans of the same predicate usually have the same steps. A step that
    /// one container does not need (its scope, its name) keeps all of that container's rows.
    package mutating func add(_ other: PlanAnalysis) {
        var merged: [PlanStep] = []
        var (left, right) = (rows, other.rows)
        var next = steps.startIndex
        for var step in other.steps {
            if let same = steps[next...].firstIndex(where: { $0.text == step.text }) {
                for own in steps[next..<same] {
                    left = own.rows
                    merged.append(own.with(rows: left + right))
                }
                left = steps[same].rows
                step.nanoseconds += steps[same].nanoseconds
                next = same + 1
            }
            right = step.rows
            merged.append(step.with(rows: left + right))
        }
        for own in steps[next...] { merged.append(own.with(rows: own.rows + right)) }
        rows += other.rows
        steps = merged
    }
}

extension PlanStep {
    fileprivate func with(rows: Int) -> PlanStep {
        var step = self
        step.rows = rows
        return step
    }
}
