// Sends the answer of a Find, as fast as the caller takes it.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

/// Sends an answer: in one reply, or with `more` in as many as it takes, each made only when the socket takes it.
final class FindStream {
    private let call: VarlinkCall
    private let engine: Engine
    private var answer: Answer
    private let inexact: [String]?
    private let clock: String
    private var isMaking = false
    /// Makes room for the next answer.
    private let onEnd: () -> Void

    init(
        call: VarlinkCall, engine: Engine, answer: Answer, inexact: [String]?, clock: String,
        onEnd: @escaping () -> Void
    ) {
        self.onEnd = onEnd
        self.call = call
        self.engine = engine
        self.answer = answer
        self.inexact = inexact
        self.clock = clock
    }

    func start() {
        guard call.wantsMore else { return sendWhole() }
        call.onWritable = { self.next() }
        next()
    }

    private func next() {
        guard !isMaking, call.isWritable, !call.hasEnded else { return }
        isMaking = true
        let (clock, inexact) = (clock, inexact)
        engine.offLoop(rows: answer.count, input: answer) { answer in
            let bytes = FindStream.reply(
                &answer, inexact, clock, maximumItems: Limits.itemsPerReply, maximumBytes: Limits.replyBytes)
            return (answer, bytes)
        } then: { answer, bytes in
            self.isMaking = false
            self.answer = answer
            self.call.reply(bytes, continues: !answer.isFinished)
            if answer.isFinished { self.onEnd() } else { self.next() }
        }
    }

    private func sendWhole() {
        let (clock, inexact) = (clock, inexact)
        engine.offLoop(rows: answer.count, input: answer) { answer in
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
