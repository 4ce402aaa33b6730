// The availability of a container as an asynchronous sequence.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// The availability of a container, now and at each change.
///
/// Without a daemon the container counts as unavailable, and the sequence tries to reconnect. It ends when the reading
/// task is cancelled. It throws if the daemon violates the interface.
public struct ContainerAvailability: AsyncSequence, Sendable {
    /// The availability of a container.
    @nonexhaustive
    public enum Element: Sendable, Hashable {
        /// The directory exists and can be read.
        case available(ContainerStatus.State)
        /// The container is unavailable, for this reason.
        case unavailable(reason: String)
    }

    /// The error type of the sequence.
    public typealias Failure = GatherError

    private let identifier: ContainerIdentifier
    private let daemon: Daemon

    /// Makes the sequence for a container, which need not be there yet.
    public init(identifier: ContainerIdentifier, daemon: Daemon = .automatic) {
        self.identifier = identifier
        self.daemon = daemon
    }

    /// Makes an iterator with a connection of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(identifier: identifier, daemon: daemon) }

    /// An iterator over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let identifier: ContainerIdentifier
        private let daemon: Daemon
        private var replies: Session.Replies<ContainerInterface.Monitor>.Iterator?
        private var backoff: Backoff
        private var last: Element?

        fileprivate init(identifier: ContainerIdentifier, daemon: Daemon) {
            self.identifier = identifier
            self.daemon = daemon
            backoff = Backoff(daemon.socket)
        }

        /// Returns the next change, at first the present availability. Nil when the task is cancelled.
        public mutating func next() async throws(GatherError) -> Element? { try await next(isolation: nil) }

        /// Returns the next change, at first the present availability. Nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(GatherError) -> Element? {
            while !Task.isCancelled {
                let element: Element
                do throws(GatherError) {
                    guard let state = try await nextState(isolation: actor) else { continue }
                    element = state
                } catch {
                    replies = nil
                    guard error.isTransient else {
                        if error.code == .cancelled { return nil }
                        throw error
                    }
                    element = .unavailable(reason: error.message)
                }
                guard element != last else { continue }
                last = element
                return element
            }
            return nil
        }

        private mutating func nextState(isolation actor: isolated (any Actor)?) async throws(GatherError) -> Element? {
            if replies == nil {
                if last != nil { try? await Task.sleep(for: backoff.next()) }
                replies = try await Session.connect(daemon.socket)
                    .callMore(ContainerInterface.Monitor.self, ContainerInterface.Monitor.Request())
                    .makeAsyncIterator()
            }
            guard let reply = try await replies?.next(isolation: actor) else {
                replies = nil
                return nil
            }
            backoff.reset()
            guard let container = reply.containers.first(where: { $0.identifier == identifier.rawValue }) else {
                return .unavailable(reason: "there is no container '\(identifier)'")
            }
            guard container.state != .unavailable else {
                return .unavailable(reason: container.reason ?? "the directory \(container.path) is missing")
            }
            return .available(ContainerStatus.State(rawValue: container.state.rawValue))
        }
    }
}
