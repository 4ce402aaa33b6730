// Sends the answer of a Find, as fast as the caller takes it.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import MetadataIndex
import NIOCore
import Varlink

/// Sends an answer: in one reply, or with `more` in as many as it takes, each made only when the socket takes it. A caller
/// who takes too long is told, and the answer let go.
final class FindStream {
    private let call: VarlinkCall
    private let engine: Engine
    /// Nil once there is nothing more to be made of it, and while something is.
    private var answer: Answer?
    private let inexact: [String]?
    private let clock: String
    private let lane: Workload.Lane
    private let rows: Int
    private var isMaking = false
    private var hasEnded = false
    private var timer: Scheduled<Void>?
    /// Makes room for the next answer.
    private let onEnd: () -> Void

    /// With `naming`, making replies of it may take asking for names of accounts.
    init(
        call: VarlinkCall, engine: Engine, answer: Answer, inexact: [String]?, clock: String, naming: Bool,
        onEnd: @escaping () -> Void
    ) {
        self.onEnd = onEnd
        self.call = call
        self.engine = engine
        self.answer = answer
        self.inexact = inexact
        self.clock = clock
        lane = naming ? .naming : .shared
        rows = answer.count
    }

    func start() {
        guard call.wantsMore else { return sendWhole() }
        call.onWritable = { self.next() }
        call.onClose = { self.finish() }
        next()
    }

    private func next() {
        guard !isMaking, !hasEnded, call.isWritable, let answer else { return }
        isMaking = true
        self.answer = nil
        let (clock, inexact) = (clock, inexact)
        engine.scans.run(rows: rows, for: call.peer.userID, lane: lane, input: answer) { answer in
            let bytes = FindStream.reply(
                &answer, inexact, clock, maximumItems: Limits.itemsPerReply, maximumBytes: Limits.replyBytes)
            return (answer, bytes)
        } then: { answer, bytes in
            self.isMaking = false
            guard !self.hasEnded else { return }
            self.answer = answer
            if answer.isFinished {
                self.call.reply(bytes)
                self.finish()
            } else {
                self.call.reply(bytes, continues: true)
                self.waitForReader()
                self.next()
            }
        }
    }

    private func waitForReader() {
        guard timer == nil, !hasEnded, let answer else { return }
        let stream = NIOLoopBound(self, eventLoop: engine.loop)
        let time = engine.limits.answerTime
        timer = engine.loop.scheduleTask(in: time) {
            stream.value.end(limit: "answerTime", value: Int(time.nanoseconds / 1_000_000))
        }
        engine.workload.openAnswers.add(
            self, of: call.peer.userID, bytes: answer.bytes, snapshots: answer.snapshots,
            current: engine.containers.reduce(into: [:]) { $0[$1.index.epoch] = $1.index.snapshot() })
    }

    /// Ends it before it was taken, with an error behind the replies on their way.
    func end(limit: String, value: Int) {
        guard !hasEnded else { return }
        finish()
        call.fail(QueryError.limitExceeded(limit: limit, value: Int64(value)).varlinkError)
    }

    private func finish() {
        guard !hasEnded else { return }
        hasEnded = true
        answer = nil
        if let timer {
            timer.cancel()
            engine.workload.openAnswers.remove(self)
        }
        timer = nil
        onEnd()
    }

    private func sendWhole() {
        guard let answer else { return }
        self.answer = nil
        let (clock, inexact) = (clock, inexact)
        engine.scans.run(rows: rows, for: call.peer.userID, lane: lane, input: answer) { answer in
            let bytes = FindStream.reply(
                &answer, inexact, clock, maximumItems: .max, maximumBytes: ProtocolLimits.findReplyBytes)
            return (answer, bytes)
        } then: { answer, bytes in
            if answer.isFinished, bytes.count <= ProtocolLimits.findReplyBytes {
                self.call.reply(bytes)
            } else {
                self.call.fail(
                    QueryError.limitExceeded(limit: "replyBytes", value: Int64(ProtocolLimits.findReplyBytes))
                        .varlinkError)
            }
            self.onEnd()
        }
    }

    private static func reply(
        _ answer: inout Answer, _ inexact: [String]?, _ clock: String, maximumItems: Int, maximumBytes: Int
    ) -> JSONBytes {
        var writer = JSONWriter(capacity: Limits.replyBytes + 4096)
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        answer.writeItems(to: &writer, maximumItems: maximumItems, maximumBytes: maximumBytes)
        writer.endArray()
        writer.field("inexact", inexact)
        writer.field("clock", clock)
        writer.endObject()
        return writer.takeBytes()
    }
}
