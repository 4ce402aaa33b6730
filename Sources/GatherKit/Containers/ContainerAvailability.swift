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
        private var monitor: ContainerMonitor
        private var last: Element?

        fileprivate init(identifier: ContainerIdentifier, daemon: Daemon) {
            monitor = ContainerMonitor(identifier: identifier, daemon: daemon)
        }

        /// Returns the next change, at first the present availability. Nil when the task is cancelled.
        public mutating func next() async throws(GatherError) -> Element? { try await next(isolation: nil) }

        /// Returns the next change, at first the present availability. Nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(GatherError) -> Element? {
            while let finding = try await monitor.next(isolation: actor) {
                let element: Element =
                    switch finding {
                    case .none(let reason): .unavailable(reason: reason)
                    case .found(let container):
                        container.state == .unavailable
                            ? .unavailable(reason: container.reason ?? "the directory \(container.path) is missing")
                            : .available(ContainerStatus.State(rawValue: container.state.rawValue))
                    }
                guard element != last else { continue }
                last = element
                return element
            }
            return nil
        }
    }
}
