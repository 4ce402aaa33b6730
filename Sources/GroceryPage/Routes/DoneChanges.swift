// The changes that were made lately, so that a repeated request changes nothing.
// SPDX-License-Identifier: Apache-2.0

/// Remembers the changes that were made by their identifiers.
///
/// A phone that loses reception after a request does not know whether the request arrived. It repeats the request, and gets
/// the state after the first one. The identifier is all that this needs, so no answer is kept. The memory ends with the
/// process. Afterwards the merge by fields keeps a repetition from undoing anything but an equal edit.
actor DoneChanges {
    /// The bytes of a remembered change beside its identifier, about: the string's header, its places in the set and in the order.
    static let overheadBytes = 64

    private let limit: Int
    /// The changes that are being made.
    private var running: [String: Task<PageResponse, any Error>] = [:]
    private var done: Set<String> = []
    /// The identifiers in the order of their arrival. Those before `first` were forgotten.
    private var order: [String] = []
    private var first = 0
    /// The bytes of all remembered changes.
    private(set) var bytes = 0

    /// - Parameter limit: The most bytes of all remembered changes. The oldest ones are forgotten first.
    init(limit: Int) { self.limit = limit }

    /// Makes a change, unless it was made or is being made. Then the answer is that of `repeated`, since the first one may be out
    /// of date. Errors are not remembered.
    func answer(
        _ change: String?, repeated: () async throws -> PageResponse,
        make: @escaping @Sendable () async throws -> PageResponse
    ) async throws -> PageResponse {
        guard let change else { return try await make() }
        if done.contains(change) { return try await repeated() }
        if let known = running[change] {
            _ = try await known.value
            return try await repeated()
        }
        // A task of its own, which goes on when the client leaves.
        let task = Task { try await make() }
        running[change] = task
        defer { running[change] = nil }
        let response = try await task.value
        remember(change)
        return response
    }

    private func remember(_ change: String) {
        done.insert(change)
        order.append(change)
        bytes += DoneChanges.bytes(of: change)
        while bytes > limit, first < order.count {
            done.remove(order[first])
            bytes -= DoneChanges.bytes(of: order[first])
            first += 1
        }
        // Amortized: the rest is moved after as many changes.
        if first > order.count / 2 {
            order.removeFirst(first)
            first = 0
        }
    }

    private static func bytes(of change: String) -> Int { change.utf8.count + overheadBytes }
}
