// The identity of a container, and its changes.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// The identity of a container: equal for one container, on all devices that share it, and different for any other.
///
/// An application that keeps something beside a container, such as a cache, keeps the identity with it. If the container has another
/// one later, it is another household's, and what was kept belongs to the former.
public struct ContainerIdentity: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The mark of the container, of 32 hexadecimal digits.
    public let rawValue: String

    /// Makes an identity from a mark.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The mark.
    public var description: String { rawValue }
}

/// The identity of a container, now and at each change; nil while it has none or is unavailable.
///
/// Without a daemon the container counts as unavailable, and the sequence tries to reconnect. It ends when the reading
/// task is cancelled. It throws if the daemon violates the interface.
public struct ContainerIdentities: AsyncSequence, Sendable {
    /// The identity of a container.
    public typealias Element = ContainerIdentity?
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

        /// Returns the next change, at first the present identity. Nil when the task is cancelled.
        public mutating func next() async throws(GatherError) -> Element? { try await next(isolation: nil) }

        /// Returns the next change, at first the present identity. Nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(GatherError) -> Element? {
            while let finding = try await monitor.next(isolation: actor) {
                var identity: ContainerIdentity?
                if case .found(let container) = finding, container.state != .unavailable {
                    identity = container.mark.map { ContainerIdentity(rawValue: $0) }
                }
                if let last, last == identity { continue }
                last = .some(identity)
                return .some(identity)
            }
            return nil
        }
    }
}
