// The answer to a call, from a task.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import NIOCore
import Varlink

/// Sends the replies of a task to a call on its event loop.
struct SharingAnswer: Sendable {
    let wantsMore: Bool
    private let call: NIOLoopBound<VarlinkCall>
    private let loop: any EventLoop

    /// Must be made on `loop`.
    init(_ call: VarlinkCall, _ loop: any EventLoop) {
        wantsMore = call.wantsMore
        self.call = NIOLoopBound(call, eventLoop: loop)
        self.loop = loop
    }

    /// Sends a reply, which ends the call unless it `continues`.
    func reply(_ message: some JSONMessage, continues: Bool = false) {
        loop.execute { call.value.reply(message, continues: continues) }
    }

    func fail(_ error: SharingError) { loop.execute { call.value.fail(error) } }

    /// Waits until the caller has read the replies, or has gone.
    func untilWritable() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                let call = call.value
                guard !call.hasEnded, !call.isWritable else { return continuation.resume() }
                var waiting: CheckedContinuation<Void, Never>? = continuation
                let previous = call.onEnd
                call.onWritable = { waiting.take()?.resume() }
                call.onEnd = {
                    waiting.take()?.resume()
                    previous?()
                }
            }
        }
    }
}
