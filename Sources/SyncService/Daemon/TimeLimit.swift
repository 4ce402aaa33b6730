// Ends an operation that takes too long.
// SPDX-License-Identifier: Apache-2.0

/// Ends operations that take too long.
enum TimeLimit {
    /// The error of an operation that took too long.
    struct Exceeded: Error, CustomStringConvertible {
        var operation: String
        var limit: Duration
        var description: String { "\(operation) took longer than \(limit.components.seconds) s" }
    }

    /// Runs `body`, and cancels it after `limit`.
    static func run<Value: Sendable>(
        _ operation: String, _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { tasks in
            tasks.addTask { try await body() }
            tasks.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { tasks.cancelAll() }
            guard let value = try await tasks.next() ?? nil else {
                throw Exceeded(operation: operation, limit: limit)
            }
            return value
        }
    }
}
