// A step of a plan with its measurements.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// A step of a plan in ``QueryExplanation/steps``. The first step has all items, and the last one leaves the matches.
public struct QueryStep: Sendable, Hashable {
    /// The step's description, for people.
    public let description: String
    /// The number of items left.
    public let count: Int
    /// The duration on one thread.
    public let duration: Duration

    init(_ step: QueryInterface.Explain.Step) {
        description = step.step
        count = Int(clamping: step.rows)
        duration = .microseconds(step.microseconds)
    }
}
