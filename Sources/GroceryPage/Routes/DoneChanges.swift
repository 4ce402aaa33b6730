// The changes that were made lately, so that a repeated request changes nothing.
// SPDX-License-Identifier: Apache-2.0

/// Remembers the changes that were made by their identifiers.
///
/// A phone that loses reception after a request does not know whether the request arrived. It repeats the request, and gets
/// the answer to the first one. The memory ends with the process. Afterwards the merge by fields keeps a repetition from
/// undoing anything but an equal edit.
actor DoneChanges {
    private let limit: Int
    private var answers: [String: Task<PageResponse, any Error>] = [:]
    /// The identifiers in the order of their arrival. Those before `first` were forgotten.
    private var order: [String] = []
    private var first = 0

    init(limit: Int) { self.limit = limit }

    /// Makes a change, unless it was made or is being made. Then the answer is that of `repeated`, since the first one may be out
    /// of date. Errors are not remembered.
    func answer(
        _ change: String?, repeated: () async throws -> PageResponse,
        make: @escaping @Sendable () async throws -> PageResponse
    ) async throws -> PageResponse {
        guard let change else { return try await make() }
        if let known = answers[change] {
            _ = try await known.value
            return try await repeated()
        }
        // A task of its own, which goes on when the client leaves.
        let task = Task { try await make() }
        answers[change] = task
        do {
            let response = try await task.value
            remember(change)
            return response
        } catch {
            answers[change] = nil
            throw error
        }
    }

    private func remember(_ change: String) {
        order.append(change)
        if order.count - first > limit {
            answers[order[first]] = nil
            first += 1
        }
        // Amortized: half of the list is moved after as many changes.
        if first > limit {
            order.removeFirst(first)
            first = 0
        }
    }
}
