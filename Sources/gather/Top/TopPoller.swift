// Asks the daemon on another thread.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import LinuxSystem
internal import Synchronization

/// Asks the daemon on another thread, one question at a time, so that keys are handled while the daemon does not
/// answer.
final class TopPoller: Sendable {
    private struct State {
        var isAsking = false
        var answer: Result<TopSample, GatherError>?
    }

    private let state = Mutex(State())
    /// Used by the one question that is open.
    private let sampler: Mutex<TopSampler>
    private let arrival: Signal

    init(_ connection: Connection) throws {
        sampler = Mutex(TopSampler(connection))
        arrival = try Signal()
    }

    /// Becomes readable when there is an answer.
    var descriptor: Int32 { arrival.number }

    /// Asks, unless the last question is still open.
    func ask() {
        let mayAsk = state.withLock { state in
            defer { state.isAsking = true }
            return !state.isAsking
        }
        guard mayAsk else { return }
        Task.detached { [self] in
            let answer = sampler.withLock { $0.sample() }
            state.withLock {
                $0.answer = answer
                $0.isAsking = false
            }
            arrival.set()
        }
    }

    /// Takes the answer.
    func take() -> Result<TopSample, GatherError>? {
        arrival.clear()
        return state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
    }
}
