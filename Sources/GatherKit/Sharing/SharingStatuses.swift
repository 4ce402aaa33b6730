// The state of sharing as an asynchronous sequence.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// The state of sharing, now and at each change.
///
/// While the helper cannot be reached, the state says so (``SharingStatus/isRunning``), and the sequence tries to
/// reconnect. It ends when the reading task is cancelled. It throws if the helper violates the interface or refuses the
/// caller.
public struct SharingStatuses: AsyncSequence, Sendable {
    /// A state of sharing.
    public typealias Element = SharingStatus
    /// The error type of the sequence.
    public typealias Failure = GatherError

    private let socket: SharingSocket

    init(socket: SharingSocket) { self.socket = socket }

    /// Makes an iterator with a connection of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// An iterator over the states.
    public struct Iterator: AsyncIteratorProtocol {
        private let socket: SharingSocket
        private var replies: Session.Replies<SharingInterface.Status>.Iterator?
        private var backoff = Backoff(isNear: true)
        private var last: SharingStatus?

        fileprivate init(socket: SharingSocket) { self.socket = socket }

        /// Returns the next state, at first the present one. Nil when the task is cancelled.
        public mutating func next() async throws(GatherError) -> SharingStatus? { try await next(isolation: nil) }

        /// Returns the next state, at first the present one. Nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(GatherError) -> SharingStatus? {
            while !Task.isCancelled {
                let status: SharingStatus
                do throws(GatherError) {
                    guard let reply = try await nextReply(isolation: actor) else { continue }
                    status = reply
                } catch {
                    replies = nil
                    if error.code == .cancelled { return nil }
                    guard error.isTransient else { throw error }
                    status = SharingStatus(unreachable: error.message)
                }
                guard status != last else { continue }
                last = status
                return status
            }
            return nil
        }

        private mutating func nextReply(
            isolation actor: isolated (any Actor)?
        ) async throws(GatherError) -> SharingStatus? {
            if replies == nil {
                if last != nil { try? await Task.sleep(for: backoff.next()) }
                replies = try await Session.connect(socket)
                    .callMore(SharingInterface.Status.self, SharingInterface.Status.Request())
                    .makeAsyncIterator()
            }
            guard let reply = try await replies?.next(isolation: actor) else {
                replies = nil
                return nil
            }
            backoff.reset()
            return SharingStatus(reply)
        }
    }
}
