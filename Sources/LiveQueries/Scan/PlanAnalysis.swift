// What the steps of a plan left, and how long they took.
// SPDX-License-Identifier: Apache-2.0

/// One step of a plan as it was carried out.
package struct PlanStep: Sendable, Hashable {
    /// What is done in it, for people.
    package let text: String
    /// How many items were left after it.
    package internal(set) var rows = 0
    /// How long it took.
    package internal(set) var nanoseconds: UInt64 = 0

    init(text: String) { self.text = text }
}

/// A plan as it was carried out once, over one container or several.
package struct PlanAnalysis: Sendable, Hashable {
    /// How many items there were that the viewer sees.
    package private(set) var rows: Int
    /// What was done with them, in order; the last step leaves those that match, and without any all do.
    package private(set) var steps: [PlanStep]

    package init() { (rows, steps) = (0, []) }

    init(rows: Int, steps: [PlanStep]) { (self.rows, self.steps) = (rows, steps) }

    /// How many items matched.
    package var matches: Int { steps.last?.rows ?? rows }

    /// Adds what was done for another container. Plans for the same predicate have mostly the same steps; one that a
    /// container was spared (its scope, its name) leaves all of that container's rows.
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
