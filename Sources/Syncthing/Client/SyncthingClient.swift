// A client of Syncthing's REST interface.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Varlink

/// Sends requests to Syncthing over a Unix socket or a port of this machine. Each request has a connection of its own
/// and a limit of time. Cancelling the task closes the connection.
package final class SyncthingClient: Sendable {
    package let address: SyncthingAddress
    private let key: String
    private let check: PeerCheck
    private let group: any EventLoopGroup

    /// Makes a client. Nothing is connected before the first request. No connection carries the key before the user at its other
    /// end was checked.
    ///
    /// - Parameters:
    ///   - configuration: The address, the key, and the users that may get it.
    ///   - group: The event loops of the connections.
    ///   - socketTables: The kernel's tables of TCP sockets.
    ///   - acceptTime: The time in which Syncthing has to accept a connection.
    package init(
        _ configuration: SyncthingConfiguration, on group: any EventLoopGroup,
        socketTables: [String] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"],
        acceptTime: TimeAmount = SyncthingLimits.acceptTime
    ) {
        address = configuration.address
        key = configuration.key
        check = PeerCheck(
            users: configuration.users, address: address, tables: socketTables, acceptTime: acceptTime)
        self.group = group
    }

    // MARK: Requests

    func get<Answer>(
        _ path: String, _ query: [(String, String)] = [], time: TimeAmount = SyncthingLimits.requestTime,
        _ read: (inout JSONReader) throws(JSONError) -> Answer
    ) async throws(SyncthingError) -> Answer {
        let request = HTTPRequest(method: .GET, path: path, query: query, time: time)
        let answer = try await send(request)
        do throws(JSONError) { return try answer.read(read) } catch { throw .malformed(request: request.name, error) }
    }

    func post(
        _ path: String, _ query: [(String, String)] = [], body: JSONBytes? = nil,
        time: TimeAmount = SyncthingLimits.requestTime
    ) async throws(SyncthingError) {
        _ = try await send(HTTPRequest(method: .POST, path: path, query: query, body: body?.buffer, time: time))
    }

    func put(_ path: String, body: JSONBytes) async throws(SyncthingError) {
        _ = try await send(HTTPRequest(method: .PUT, path: path, body: body.buffer))
    }

    func patch(_ path: String, body: JSONBytes) async throws(SyncthingError) {
        _ = try await send(HTTPRequest(method: .PATCH, path: path, body: body.buffer))
    }

    func delete(_ path: String) async throws(SyncthingError) {
        _ = try await send(HTTPRequest(method: .DELETE, path: path))
    }

    // MARK: Sending

    private func send(_ request: HTTPRequest) async throws(SyncthingError) -> JSONBytes {
        let answer: HTTPAnswer
        do { answer = try await exchange(request) } catch {
            if Task.isCancelled { throw .cancelled }
            switch error {
            case let error as SyncthingError: throw error
            case let error as IOError: throw .unreachable(address: "\(address)", errno: error.errnoCode)
            case is SocketAddressError: throw .unreachable(address: "\(address)", errno: ENAMETOOLONG)
            case ChannelError.connectTimeout: throw .unreachable(address: "\(address)", errno: ETIMEDOUT)
            default: throw .closed(request: request.name)
            }
        }
        if (200..<300).contains(answer.status) { return JSONBytes(answer.body) }
        let message = SyncthingClient.message(answer.body)
        switch answer.status {
        case 401, 403: throw .keyRefused
        case 404: throw .notFound(request: request.name, message: message)
        default: throw .failed(request: request.name, status: answer.status, message: message)
        }
    }

    private func exchange(_ request: HTTPRequest) async throws -> HTTPAnswer {
        let loop = group.next()
        let place =
            switch address {
            case .unix(let path): try SocketAddress(unixDomainSocketPath: path)
            case .loopback(let host, let port): try SocketAddress(ipAddress: host, port: port)
            }
        let promise = loop.makePromise(of: HTTPAnswer.self)
        let (key, check) = (key, check)
        let isPort = if case .loopback = address { true } else { false }
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(SyncthingLimits.connectTime)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // Each end of a connection would stay in the kernel's tables for a minute, which the next check reads.
                    let options = isPort ? channel as? any SocketOptionProvider : nil
                    _ = options?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(
                        HTTPExchange(request, key: key, check: check, promise: promise))
                }
            }
        let connected = bootstrap.connect(to: place)
        let timer = loop.scheduleTask(in: request.time) {
            let seconds = request.time.nanoseconds / 1_000_000_000
            promise.fail(SyncthingError.timedOut(request: request.name, seconds: seconds))
            connected.whenSuccess { $0.close(promise: nil) }
        }
        connected.whenFailure { promise.fail($0) }
        promise.futureResult.whenComplete { _ in timer.cancel() }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            connected.whenSuccess { $0.close(promise: nil) }
        }
    }

    private static func message(_ body: ByteBuffer) -> String {
        let text = String(
            buffer: body.getSlice(at: body.readerIndex, length: min(body.readableBytes, SyncthingLimits.errorBytes))
                ?? ByteBuffer())
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
