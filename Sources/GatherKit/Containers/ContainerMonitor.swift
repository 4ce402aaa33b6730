// One container, as the daemon describes it at each change.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// Follows the description of a container. Without a daemon there is none, and it tries to reconnect.
struct ContainerMonitor: Sendable {
    enum Finding: Sendable {
        case found(ContainerDescription)
        /// There is no description, for this reason.
        case none(reason: String)
    }

    private let identifier: ContainerIdentifier
    private let daemon: Daemon
    private var replies: Session.Replies<ContainerInterface.Monitor>.Iterator?
    private var backoff: Backoff
    private var hasBegun = false

    init(identifier: ContainerIdentifier, daemon: Daemon) {
        self.identifier = identifier
        self.daemon = daemon
        backoff = Backoff(daemon.socket)
    }

    /// Returns the present description, and then each later one, which may be equal. Nil when the task is cancelled.
    ///
    /// - Throws: An error that does not pass, such as a daemon that violates the interface.
    mutating func next(isolation actor: isolated (any Actor)?) async throws(GatherError) -> Finding? {
        while !Task.isCancelled {
            do throws(GatherError) {
                guard let finding = try await nextReply(isolation: actor) else { continue }
                return finding
            } catch {
                replies = nil
                guard error.isTransient else {
                    if error.code == .cancelled { return nil }
                    throw error
                }
                return .none(reason: error.message)
            }
        }
        return nil
    }

    private mutating func nextReply(isolation actor: isolated (any Actor)?) async throws(GatherError) -> Finding? {
        if replies == nil {
            if hasBegun { try? await Task.sleep(for: backoff.next()) }
            hasBegun = true
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
            return .none(reason: "there is no container '\(identifier)'")
        }
        KnownContainers.set(ContainerStatus(container), of: daemon)
        return .found(container)
    }
}
