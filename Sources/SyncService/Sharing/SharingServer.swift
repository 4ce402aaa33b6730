// Serves io.gatherd.Sharing.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import NIOCore
import Varlink

/// Serves `io.gatherd.Sharing`. Event loop only.
final class SharingServer: VarlinkHandler {
    private let core: SyncCore
    private let loop: any EventLoop
    private var server: VarlinkServer?

    init(core: SyncCore, loop: any EventLoop) {
        self.core = core
        self.loop = loop
        let service = VarlinkService(
            vendor: "Gather", product: "gather-syncd", version: SyncVersion.current, url: "https://gatherd.io",
            interfaces: [SharingInterface.interface])
        var limits = VarlinkLimits()
        limits.connections = SyncLimits.connections
        limits.connectionsPerUser = SyncLimits.connectionsPerUser
        server = VarlinkServer(eventLoop: loop, service: service, handler: self, limits: limits)
    }

    func listen(_ socket: SyncOptions.Socket) -> EventLoopFuture<Void> {
        guard let server else { return loop.makeSucceededVoidFuture() }
        switch socket {
        case .inherited(let descriptor): return server.listen(descriptor: descriptor)
        case .path(let path, let isShared):
            // The directory is that of systemd, or of the user's session. If it cannot be made, listening tells why.
            if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
                let directory = String(path[..<slash])
                if mkdir(directory, isShared ? 0o755 : 0o700) != 0 { _ = try? Directory.makeWithParents(directory) }
            }
            do { return try server.listen(path: path, mode: isShared ? 0o660 : 0o600) } catch {
                return loop.makeFailedFuture(error)
            }
        }
    }

    func close() -> EventLoopFuture<Void> {
        guard let server = server.take() else { return loop.makeSucceededVoidFuture() }
        return server.close()
    }

    func handle(_ call: VarlinkCall) {
        let caller = call.peer
        guard SharingMethods.isOperator(caller) || SharingServer.reads(call.method) else {
            call.fail(.permissionDenied)
            return
        }
        let answer = SharingAnswer(call, loop)
        let (core, method, parameters) = (core, call.method, call.parameters)
        let task = Task(executorPreference: SyncExecutor.shared) {
            await SharingMethods(core: core, caller: caller).answer(method, parameters, answer)
        }
        call.onEnd = { task.cancel() }
    }

    /// Whether any caller that may connect may call a method, since it changes nothing. The answer leaves out the containers that
    /// gatherd hides from this caller.
    private static func reads(_ method: String) -> Bool {
        method == SharingInterface.Status.name || method == SharingInterface.Check.name
    }
}
