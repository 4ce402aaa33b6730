// Input and output away from the threads of Swift's concurrency.
// SPDX-License-Identifier: Apache-2.0

internal import NIOPosix

/// Runs calls that block on swift-nio's threads for such work, since the threads of Swift's concurrency are few.
enum BlockingWork {
    /// Runs `body` to its end, also if the waiting task is cancelled.
    static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            NIOThreadPool.singleton.submit { _ in continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
