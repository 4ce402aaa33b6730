// How long a test waits for something that must come.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// The one limit of all waits in tests: 120 s times `GATHER_TEST_PATIENCE`. A right program answers long before on the slowest
/// machine, so it decides nothing. It ends a test that would wait for ever. Waits that have no limit of their own are ended by
/// `Packaging/dev/run-tests`, after five times as long without any news.
package struct Patience: Sendable {
    package static let seconds =
        120 * max(1, getenv("GATHER_TEST_PATIENCE").flatMap { Int(String(cString: $0)) } ?? 1)
    package static let duration = Duration.seconds(seconds)
    package static let nanoseconds = UInt64(seconds) * 1_000_000_000
    package static let milliseconds = CInt(seconds) * 1_000

    private let end = ContinuousClock.now + duration

    /// Begins a wait.
    package init() {}

    /// Whether the wait has lasted too long.
    package var isOver: Bool { ContinuousClock.now >= end }

    /// Limits each send and each receive of a blocking socket.
    package static func limit(_ socket: CInt) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Calls `body` after a wait that is too long, unless the task is cancelled before.
    package static func whenOver(_ body: @escaping @Sendable () -> Void) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(for: duration)
            body()
        }
    }

    /// Awaits `body`. If that takes too long, says so on standard error and calls `giveUp`, which has to make `body` return.
    package static func await<Value: Sendable>(
        _ what: String, _ body: () async -> Value, giveUp: @escaping @Sendable () -> Void
    ) async -> Value {
        let guardian = whenOver {
            FileHandle.standardError.write(Data("never: \(what), after \(seconds) s\n".utf8))
            giveUp()
        }
        defer { guardian.cancel() }
        return await body()
    }

    /// Keeps the thread busy: the work of a test that needs an unusually busy program. It is no wait.
    package static func work(for time: Duration) {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {}
    }
}
