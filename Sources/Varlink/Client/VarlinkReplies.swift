// The replies to one call with `more`, as an asynchronous sequence with backpressure.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The parameters of the replies to one call with `more`, in order, for one reader. An error reply ends the sequence
/// by being thrown. While more than ``VarlinkClient/bufferedBytes`` wait for the reader the socket is not read, so the
/// service sees a slow reader. Letting the sequence and its iterator go, or cancelling the task that waits, before the
/// last reply closes the connection.
package struct VarlinkReplies: AsyncSequence, Sendable {
    package typealias Element = JSONBytes
    package typealias Failure = VarlinkClientError

    private let reader: Reader

    init(_ buffer: VarlinkReplyBuffer, of client: VarlinkClient) { reader = Reader(buffer, client) }

    package func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader

        /// The next reply; nil after the last, and when the task is cancelled.
        package mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(VarlinkClientError)
            -> JSONBytes?
        {
            let buffer = reader.buffer
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { buffer.take($0) }
            } onCancel: {
                buffer.abandon()
            }
            return try result.get()
        }

        /// The next reply; nil after the last, and when the task is cancelled.
        package mutating func next() async throws(VarlinkClientError) -> JSONBytes? {
            try await next(isolation: nil)
        }
    }

    /// Ends the call when the sequence and its iterator are gone.
    fileprivate final class Reader: Sendable {
        let buffer: VarlinkReplyBuffer
        /// Kept, since the connection ends when it is let go.
        private let client: VarlinkClient

        init(_ buffer: VarlinkReplyBuffer, _ client: VarlinkClient) {
            self.buffer = buffer
            self.client = client
        }

        deinit { buffer.abandon() }
    }
}

/// Replies on their way from the event loop to the task that reads them.
final class VarlinkReplyBuffer: Sendable {
    typealias Continuation = CheckedContinuation<Result<JSONBytes?, VarlinkClientError>, Never>

    private struct State {
        var replies: [JSONBytes] = []
        /// How many of `replies` have been taken already; they are dropped together when all have been.
        var taken = 0
        var bytes = 0
        var waiting: Continuation?
        var isPaused = false
        /// How the sequence ends once `replies` are taken: with nil, or with an error.
        var end: Result<JSONBytes?, VarlinkClientError>?
    }

    private let state = Mutex(State())
    private let limit: Int
    /// Reads the socket again; called from the reader's task.
    private let resume: @Sendable () -> Void
    /// Closes the connection; called from the reader's task or a deinit.
    private let close: @Sendable () -> Void

    init(limit: Int, resume: @escaping @Sendable () -> Void, close: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.resume = resume
        self.close = close
    }

    /// Whether the socket must not be read for now. Checked on the loop after each read.
    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Hands in a reply; on the loop.
    func yield(_ reply: JSONBytes) {
        let waiting = state.withLock { state -> Continuation? in
            guard state.end == nil else { return nil }
            if let waiting = state.waiting.take() { return waiting }
            state.replies.append(reply)
            state.bytes += reply.count
            if state.bytes > limit { state.isPaused = true }
            return nil
        }
        waiting?.resume(returning: .success(reply))
    }

    /// Hands in the end; on the loop. The first end counts.
    func finish(_ error: VarlinkClientError?) {
        let end: Result<JSONBytes?, VarlinkClientError> = error.map { .failure($0) } ?? .success(nil)
        let waiting = state.withLock { state -> Continuation? in
            guard state.end == nil else { return nil }
            let waiting = state.waiting.take()
            // An error is delivered once: to the waiting read, or to the next one.
            state.end = waiting == nil ? end : .success(nil)
            return waiting
        }
        waiting?.resume(returning: end)
    }

    /// Answers `continuation` with the next reply now or when it comes.
    func take(_ continuation: Continuation) {
        var mustResume = false
        let answer = state.withLock { state -> Result<JSONBytes?, VarlinkClientError>? in
            if state.taken < state.replies.count {
                let reply = state.replies[state.taken]
                state.taken += 1
                state.bytes -= reply.count
                if state.taken == state.replies.count {
                    state.replies.removeAll(keepingCapacity: true)
                    state.taken = 0
                }
                if state.isPaused, state.bytes <= limit / 2 {
                    state.isPaused = false
                    mustResume = true
                }
                return .success(reply)
            }
            if let end = state.end {
                state.end = .success(nil)
                return end
            }
            precondition(state.waiting == nil, "the replies to a call have one reader")
            state.waiting = continuation
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
        if mustResume { resume() }
    }

    /// Closes the connection when no reader is left, unless the call has had its last reply.
    func abandon() {
        let (isOpen, waiting) = state.withLock { state -> (Bool, Continuation?) in
            let isOpen = state.end == nil
            if isOpen { state.end = .success(nil) }
            state.replies.removeAll()
            state.taken = 0
            return (isOpen, state.waiting.take())
        }
        waiting?.resume(returning: .success(nil))
        if isOpen { close() }
    }
}
