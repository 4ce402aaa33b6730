// The replies of a live query, and the heartbeat where there are none for long.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import NIOCore
import Varlink

extension Subscription {
    /// Sends the contents of the writer. It is in use until the call returns, so nothing else may be written meanwhile.
    func sendWriter() {
        let wasAdvancing = advancing.suspend()
        call.reply(writer, continues: true)
        let mustAdvance = advancing.resume(wasAdvancing)
        restartHeartbeat()
        if mustAdvance { advance() }
    }

    func send(_ bytes: JSONBytes) {
        call.reply(bytes, continues: true)
        restartHeartbeat()
    }

    private func restartHeartbeat() {
        heartbeat.noteReply(liveQueries: engine.subscriptions.count(of: peer.userID)) { awakeForHeartbeat(at: $0) }
    }

    private func awakeForHeartbeat(at deadline: NIODeadline) -> Scheduled<Void> {
        let subscription = NIOLoopBound(self, eventLoop: engine.loop)
        return engine.loop.scheduleTask(deadline: deadline) { subscription.value.heartbeatIsDue() }
    }

    private func heartbeatIsDue() {
        let liveQueries = engine.subscriptions.count(of: peer.userID)
        let isDue = heartbeat.endTimer(liveQueries: liveQueries) { awakeForHeartbeat(at: $0) }
        if isDue { sendAlive() }
    }

    private func sendAlive() {
        // A reader that is behind hears enough; more bytes would only pile up.
        guard call.isWritable else { return restartHeartbeat() }
        writer.removeAll()
        writer.beginObject()
        writer.field("event", "alive")
        if phase == .live, isAllPublished { writer.field("clock", clock.text) }
        writer.endObject()
        sendWriter()
    }
}
