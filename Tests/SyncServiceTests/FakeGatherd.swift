// A gatherd that only tells of containers.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherProtocol
import NIOCore
import NIOPosix
import Synchronization
import Varlink

/// Serves the list of containers, and says which of them a user may list.
final class FakeGatherd: Sendable {
    /// The users that may list each container.
    typealias Readers = [String: Set<Int64>]

    let path: String
    private let loop: any EventLoop
    private let server: NIOLoopBoundBox<VarlinkServer?>
    /// The requests for what a user may list, and their answers; nil for an error.
    private let state: Mutex<(requests: [ContainerInterface.ReadableBy.Request], readers: Readers?)>

    var requests: [ContainerInterface.ReadableBy.Request] { state.withLock { $0.requests } }

    init(_ containers: [ContainerDescription], readers: Readers) async throws {
        path = NSTemporaryDirectory() + "gatherd-\(UUID().uuidString.prefix(8))"
        state = Mutex(([], readers))
        loop = MultiThreadedEventLoopGroup.singleton.next()
        server = NIOLoopBoundBox.makeBoxSendingValue(nil, eventLoop: loop)
        try await loop.flatSubmit { [self] in
            let service = VarlinkService(
                vendor: "Gather", product: "fake gatherd", version: "1", url: "https://example.org",
                interfaces: [ContainerInterface.interface], methodsThatNeedMore: [])
            let server = VarlinkServer(eventLoop: loop, service: service, handler: Handler(self, containers))
            self.server.value = server
            do { return try server.listen(path: path, mode: 0o600) } catch { return loop.makeFailedFuture(error) }
        }.get()
    }

    /// Answers with an error from now on.
    func refuse() { state.withLock { $0.readers = nil } }

    /// Closes all connections.
    func stop() async throws {
        try await loop.flatSubmit { [self] in server.value?.close() ?? loop.makeSucceededVoidFuture() }.get()
    }

    /// On the event loop.
    private final class Handler: VarlinkHandler {
        private let gatherd: FakeGatherd
        private let containers: [ContainerDescription]

        init(_ gatherd: FakeGatherd, _ containers: [ContainerDescription]) {
            self.gatherd = gatherd
            self.containers = containers
        }

        func handle(_ call: VarlinkCall) {
            switch call.method {
            case ContainerInterface.Monitor.name:
                call.reply(ContainerInterface.Monitor.Reply(containers: containers), continues: true)
            case ContainerInterface.ReadableBy.name:
                guard let request = try? call.request(of: ContainerInterface.ReadableBy.self) else {
                    return call.fail(VarlinkError.invalidParameter("user"))
                }
                let readers = gatherd.state.withLock { state in
                    state.requests.append(request)
                    return state.readers
                }
                guard let readers else { return call.fail(VarlinkError.permissionDenied) }
                let identifiers = readers.filter { $0.value.contains(request.user) }.keys.sorted()
                call.reply(ContainerInterface.ReadableBy.Reply(identifiers: identifiers))
            default: call.fail(VarlinkError.methodNotImplemented(call.method))
            }
        }
    }
}
