// The inotify descriptor on the event loop.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import NIOCore
import NIOPosix

/// Has the event loop itself poll the inotify descriptor, and reads it where it is ready. A thread that waited and woke
/// the loop would cost each change a second change of threads, and three system calls more. On the loop.
///
/// What is read goes to the kernel; then `ready` is called, which takes it from there, or pauses this. Nobody else may
/// read: the loop does not expect to find nothing.
final class EventChannel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Bytes of one read, which is larger than any record, and reads at a time: no more than the watcher takes in one.
    private static let readSize = 64 << 10
    private static let readsAtATime: UInt = 4

    private let kernel: LinuxKernel
    private let ready: () -> Void
    private let failed: (any Error) -> Void
    private var channel: (any Channel)?

    /// `ready` is called from the loop alone, never from here; `failed` where nothing will be read any more.
    init(
        _ kernel: LinuxKernel, loop: any EventLoop, ready: @escaping () -> Void, failed: @escaping (any Error) -> Void
    ) throws(SystemError) {
        self.kernel = kernel
        self.ready = ready
        self.failed = failed
        let descriptor = try kernel.handOver().release()
        let bound = NIOLoopBound(self, eventLoop: loop)
        NIOPipeBootstrap(group: loop)
            .channelOption(.maxMessagesPerRead, value: EventChannel.readsAtATime)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: EventChannel.readSize))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    bound.value.channel = channel
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
            .assumeIsolated().whenFailure { failed($0) }
    }

    /// Whether nothing is read, and `ready` not called.
    var isPaused = false {
        didSet {
            guard isPaused != oldValue else { return }
            try? channel?.syncOptions?.setOption(.autoRead, value: !isPaused)
        }
    }

    /// Ends it; nothing is called any more.
    func close() {
        let channel = channel
        self.channel = nil
        channel?.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unwrapInboundIn(data).withUnsafeReadableBytes { kernel.hold($0) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if channel != nil { ready() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if channel != nil { failed(error) }
    }
}
