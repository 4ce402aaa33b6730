// One step of a plan as it was carried out.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// One step of a plan as it was carried out once: what ``QueryExplanation/steps`` is made of. The first stands for the items
/// that there are, the last leaves those that match.
public struct QueryStep: Sendable, Hashable {
    /// What is done in it, for people.
    public let description: String
    /// How many items were left after it.
    public let count: Int
    /// How long it took, on one thread.
    public let duration: Duration

    init(_ step: QueryInterface.Explain.Step) {
        description = step.step
        count = Int(clamping: step.rows)
        duration = .microseconds(step.microseconds)
    }
}
