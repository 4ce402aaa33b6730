// Changes of whether a container is there, as an asynchronous sequence.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// Whether a container is there, now and at each change. It is not there either while the daemon is away; the sequence
/// then tries again until it is back. It ends when the task that reads it is cancelled, and throws where the daemon does
/// not answer as it should.
public struct ContainerAvailability: AsyncSequence, Sendable {
    /// Whether a container is there.
    public enum Element: Sendable, Hashable {
        /// Its directory exists and can be read.
        case available(ContainerStatus.State)
        /// It is not there, for this reason.
        case unavailable(reason: String)
    }

    /// How the sequence fails.
    public typealias Failure = GatherError

    let identifier: String
    let client: GatherClient

    /// A reader, with a connection of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(identifier: identifier, client: client) }

    /// One reader.
    public struct Iterator: AsyncIteratorProtocol {
        private let identifier: String
        private let client: GatherClient
        private var replies: Session.Replies<ContainerInterface.Monitor>.Iterator?
        private var backoff = Backoff()
        private var last: Element?

        fileprivate init(identifier: String, client: GatherClient) {
            self.identifier = identifier
            self.client = client
        }

        /// The next change; the first is how it is now. Nil when the task is cancelled.
        public mutating func next() async throws(GatherError) -> Element? { try await next(isolation: nil) }

        /// The next change; the first is how it is now. Nil when the task is cancelled.
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
                replies = try await Session.connect(client.socket)
                    .callMore(ContainerInterface.Monitor.self, ContainerInterface.Monitor.Request())
                    .makeAsyncIterator()
            }
            guard let reply = try await replies?.next(isolation: actor) else {
                replies = nil
                return nil
            }
            backoff.reset()
            guard let container = reply.containers.first(where: { $0.identifier == identifier }) else {
                return .unavailable(reason: "there is no container '\(identifier)'")
            }
            guard container.state != .unavailable else {
                return .unavailable(reason: container.reason ?? "the directory \(container.path) is missing")
            }
            return .available(ContainerStatus.State(rawValue: container.state.rawValue))
        }
    }
}
