// Pauses accepting after accept(2) has failed.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Stops a listening channel from reading for a while after an error.
///
/// The listening descriptor stays readable while accept(2) fails with EMFILE, so the loop would try again without a
/// pause. swift-nio's `AcceptBackoffHandler` delays only later reads, not the one that failed.
package final class AcceptPause: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    private let pause: TimeAmount
    private let failed: (CInt) -> Void

    /// - Parameter failed: Gets the number of the error.
    package init(_ pause: TimeAmount, failed: @escaping (CInt) -> Void) {
        self.pause = pause
        self.failed = failed
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError else { return context.fireErrorCaught(error) }
        failed(error.errnoCode)
        let options = context.channel.syncOptions
        try? options?.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
            // The channel may have been closed meanwhile.
            try? options?.setOption(.autoRead, value: true)
        }
    }
}
