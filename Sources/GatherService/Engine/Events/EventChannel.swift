// The inotify descriptor on the event loop.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import NIOCore
import NIOPosix

/// Has the event loop itself poll the inotify descriptor, and reads it where it is ready. A thread that waited and woke
/// the loop would cost each change a second change of threads, and three system calls more. On the loop.
///
/// Events are read into the memory that the kernel object names, so that they are never in this process alone
/// (``EventRing``); then `ready` is called, which takes them from there, or pauses this. No other code may read: the
/// loop does not expect to find nothing.
final class EventChannel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Bytes of a read for which the kernel gives no room, which is larger than any record.
    private static let readSize = 64 << 10

    private let kernel: LinuxKernel
    private let loop: any EventLoop
    private let ready: () -> Void
    private let failed: (any Error) -> Void
    private var channel: (any Channel)?
    /// For the next channel, while there is none: made before the last one was closed, so that there is one whatever
    /// descriptors are left then.
    private var spare: Descriptor?

    /// `ready` is called from the loop alone, never before this returns; `failed` where nothing will be read any more.
    init(
        _ kernel: LinuxKernel, loop: any EventLoop, ready: @escaping () -> Void, failed: @escaping (any Error) -> Void
    ) throws(SystemError) {
        self.kernel = kernel
        self.loop = loop
        self.ready = ready
        self.failed = failed
        open(try kernel.handOver())
    }

    private func open(_ descriptor: consuming Descriptor) {
        let failed = failed
        let bound = NIOLoopBound(self, eventLoop: loop)
        NIOPipeBootstrap(group: loop)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: RoomOfKernel(kernel: kernel, usualSize: EventChannel.readSize))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    bound.value.channel = channel
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor.release())
            .assumeIsolated().whenFailure { failed($0) }
    }

    /// Whether nothing is read, and `ready` not called: the watcher reads itself, when it is time. The channel is
    /// closed meanwhile. A channel that only reads nothing stays with the poll, and inotify wakes its thread for each
    /// event all the same, whatever the event is: with a hundred thousand a second that took a third of the daemon's
    /// time.
    var isPaused = false {
        didSet {
            guard isPaused != oldValue else { return }
            if isPaused { pause() } else { resume() }
        }
    }

    private func pause() {
        guard let former = channel, let next = try? kernel.takeBack() else {
            try? channel?.syncOptions?.setOption(.autoRead, value: false)
            return
        }
        spare = consume next
        channel = nil
        former.close(promise: nil)
    }

    private func resume() {
        guard let descriptor = spare.take() else {
            try? channel?.syncOptions?.setOption(.autoRead, value: true)
            return
        }
        kernel.handOverAgain()
        open(descriptor)
    }

    /// Ends it; nothing is called any more.
    func close() {
        let channel = channel
        self.channel = nil
        spare = nil
        channel?.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unwrapInboundIn(data).withUnsafeReadableBytes { kernel.hold($0) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard context.channel === channel else { return }
        ready()
        // Until some of it was taken, which the next iteration does.
        if !kernel.hasRoom { isPaused = true }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if context.channel === channel { failed(error) }
    }
}
