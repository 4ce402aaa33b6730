// Asks the daemon beside the loop that draws.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import LinuxSystem
internal import Synchronization

/// Asks the daemon on another thread, one question at a time, so that keys are heard while it does not answer. Each question
/// has a connection of its own: a daemon that was started again is not noticed.
final class TopPoller: Sendable {
    private struct State {
        var isAsking = false
        var answer: Result<TopSample, GatherError>?
    }

    private let connection: Connection
    private let state = Mutex(State())
    private let arrival: Signal

    init(_ connection: Connection) throws {
        self.connection = connection
        arrival = try Signal()
    }

    /// Becomes readable when there is an answer.
    var descriptor: Int32 { arrival.number }

    /// Asks, unless there is no answer yet to the last question.
    func ask() {
        let mayAsk = state.withLock { state in
            defer { state.isAsking = true }
            return !state.isAsking
        }
        guard mayAsk else { return }
        Task.detached { [self] in
            let answer = TopPoller.sample(connection)
            state.withLock {
                $0.answer = answer
                $0.isAsking = false
            }
            arrival.set()
        }
    }

    /// The answer that came, once.
    func take() -> Result<TopSample, GatherError>? {
        arrival.clear()
        return state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
    }

    /// Live queries that are told of one by one.
    private static let liveQueries = 200

    static func sample(_ connection: Connection) -> Result<TopSample, GatherError> {
        do throws(GatherError) {
            var client = try connection.connect()
            let metrics = try client.metrics(liveQueries: liveQueries)
            return .success(TopSample(metrics, time: MonotonicClock.now()))
        } catch {
            return .failure(error)
        }
    }
}
