// A client for programs that go on running: calls and subscriptions as asynchronous functions.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import NIOCore
internal import NIOPosix

/// One connection to a service. Any number of tasks may call; calls are pipelined and answered in order. A call with `more`
/// that never ends, such as a subscription, needs a client of its own. Ends with ``close()`` or with the last reference.
package final class VarlinkClient: Sendable {
    /// How many bytes of replies to a call with `more` may wait for their reader before the socket is left unread.
    package static let bufferedBytes = 1 << 20

    private let channel: any Channel
    private let handler: NIOLoopBound<VarlinkClientHandler>

    private let bufferedBytes: Int

    private init(channel: any Channel, handler: NIOLoopBound<VarlinkClientHandler>, bufferedBytes: Int) {
        self.channel = channel
        self.handler = handler
        self.bufferedBytes = bufferedBytes
    }

    deinit { channel.close(promise: nil) }

    /// Connects to the socket at `path` and serves the connection on one loop of `group`.
    package static func connect(
        path: String, on group: any EventLoopGroup, bufferedBytes: Int = VarlinkClient.bufferedBytes
    ) async throws(VarlinkClientError) -> VarlinkClient {
        let descriptor: CInt
        // Blocks only while the service's queue of new connections is full.
        do throws(VarlinkSocketError) { descriptor = try UnixSocket.connect(path: path, within: nil) } catch {
            throw .socket(error)
        }
        return try await attach(descriptor: descriptor, on: group, bufferedBytes: bufferedBytes)
    }

    /// A client on a socket that is connected already, such as one end of a socket pair. The descriptor is the
    /// client's from now on. With `life`, a service that does not live ends the connection: calls without an answer then fail
    /// with ``VarlinkClientError/silent``. With `output`, calls are written to that socket, which is the client's, too.
    package static func attach(
        descriptor: CInt, output: CInt? = nil, on group: any EventLoopGroup, life: VarlinkLife? = nil,
        bufferedBytes: Int = VarlinkClient.bufferedBytes
    ) async throws(VarlinkClientError) -> VarlinkClient {
        let loop = group.next()
        // Not looked up in the pipeline, which is empty already if the service has ended.
        let made = loop.makePromise(of: NIOLoopBound<VarlinkClientHandler>.self)
        do {
            // A channel of its own: NIO's pipe channel drops the bytes not read when the other end closes its input.
            var calls: (any Channel)?
            if let output {
                calls = try await ClientBootstrap(group: loop).channelOption(.autoRead, value: false)
                    .withConnectedSocket(output).get()
            }
            return try await ClientBootstrap(group: loop)
                .channelOption(.autoRead, value: false)
                .channelInitializer { [calls] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handler = VarlinkClientHandler(life: life, calls: calls)
                        try channel.pipeline.syncOperations.addHandler(handler)
                        made.succeed(NIOLoopBound(handler, eventLoop: channel.eventLoop))
                    }
                }
                .withConnectedSocket(descriptor)
                .flatMap { channel in
                    made.futureResult.map { handler in
                        VarlinkClient(channel: channel, handler: handler, bufferedBytes: bufferedBytes)
                    }
                }
                .get()
        } catch {
            made.fail(error)
            throw VarlinkClientError(channelError: error, during: .connect)
        }
    }

    /// Calls `method` and returns the parameters of its reply. Cancelling the task closes the connection.
    package func call(
        _ method: String, _ parameters: JSONBytes = .emptyObject
    ) async throws(VarlinkClientError) -> JSONBytes {
        let message = VarlinkCallMessage(method: method, parameters: parameters)
        let handler = handler
        let channel = channel
        let result: Result<JSONBytes, VarlinkClientError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                channel.eventLoop.execute { handler.value.send(message, .single(continuation)) }
            }
        } onCancel: {
            channel.close(promise: nil)
        }
        if Task.isCancelled, result == .failure(.closed) { throw .cancelled }
        return try result.get()
    }

    /// Calls `method` with `more`, at once, and returns the parameters of its replies as they come.
    package func callMore(_ method: String, _ parameters: JSONBytes = .emptyObject) -> VarlinkReplies {
        let message = VarlinkCallMessage(method: method, parameters: parameters, more: true)
        let handler = handler
        let loop = channel.eventLoop
        let buffer = VarlinkReplyBuffer(
            limit: bufferedBytes,
            resume: { loop.execute { handler.value.resumeReading() } },
            close: { [channel] in channel.close(promise: nil) })
        loop.execute { handler.value.send(message, .stream(buffer)) }
        return VarlinkReplies(buffer, of: self)
    }

    /// Calls `method` and wants no answer. Returns when the bytes are with the kernel.
    package func callOneway(
        _ method: String, _ parameters: JSONBytes = .emptyObject
    ) async throws(VarlinkClientError) {
        let message = VarlinkCallMessage(method: method, parameters: parameters, oneway: true)
        let handler = handler
        let written = channel.eventLoop.makePromise(of: Void.self)
        channel.eventLoop.execute { handler.value.send(message, .none(written)) }
        do { try await written.futureResult.get() } catch {
            throw VarlinkClientError(channelError: error, during: .write)
        }
    }

    /// Closes the connection; calls without an answer fail with `closed`.
    func closeSoon() { channel.close(promise: nil) }

    /// Closes the connection; calls without an answer fail with `closed`. Returns when that is done.
    package func close() async {
        closeSoon()
        try? await channel.closeFuture.get()
    }
}

extension VarlinkClientError {
    init(channelError error: any Error, during operation: VarlinkSocketError.Operation) {
        switch error {
        case let error as VarlinkClientError: self = error
        case let error as IOError: self = .socket(VarlinkSocketError(operation: operation, errno: error.errnoCode))
        case let error as VarlinkSocketError: self = .socket(error)
        default: self = .closed
        }
    }
}
