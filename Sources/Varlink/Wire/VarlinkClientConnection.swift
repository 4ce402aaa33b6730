// The client's side of a connection as a state machine: calls in, bytes out; bytes in, replies out. No sockets.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The client's side of one connection. Any number of calls may be pipelined; replies come in the order of the calls.
package struct VarlinkClientConnection {
    /// A reply that Varlink does not allow.
    package enum Violation: Error, Sendable, Hashable {
        /// A reply is no JSON object of the right form.
        case malformed(JSONError)
        /// A reply is longer than this many bytes.
        case tooLong(limit: Int)
        /// A reply came to no call; where it is an error, such as that of a server that has no room for another
        /// connection, that.
        case unexpectedReply(VarlinkError?)
        /// `continues` in the reply to a call without `more`.
        case unexpectedContinues
    }

    /// A reply and the call that it answers.
    package struct Reply: Sendable, Hashable {
        /// The number that ``send(_:)`` gave the call.
        package var call: UInt64
        /// The reply.
        package var message: VarlinkReplyMessage
    }

    /// The calls that have not had their last reply, in order; their numbers count on from `firstPending`.
    private var pendingMore: [Bool] = []
    private var answered = 0
    private var nextCall: UInt64 = 0
    private var numbers: [UInt64] = []
    private var framer: MessageFramer
    private var isBroken = false

    /// A connection that accepts replies of at most `maximumMessageBytes`.
    package init(maximumMessageBytes: Int) {
        framer = MessageFramer(maximumMessageBytes: maximumMessageBytes)
    }

    /// Whether a reply is due.
    package var isAwaitingReply: Bool { answered < numbers.count }

    /// The bytes of a call to send, and the number under which its replies will come. A oneway call has none.
    package mutating func send(_ call: VarlinkCallMessage) -> (frame: ByteBuffer, number: UInt64) {
        let number = nextCall
        nextCall += 1
        if !call.oneway {
            numbers.append(number)
            pendingMore.append(call.more)
        }
        return (call.frame, number)
    }

    /// Takes in bytes that were read. They are only kept; ``next()`` looks at them.
    package mutating func receive(_ bytes: ByteBuffer) { framer.receive(bytes) }

    /// Lends memory of at least `minimum` bytes to `body`, which puts received bytes there and returns their count.
    package mutating func receive(atLeast minimum: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
        framer.receive(atLeast: minimum, body)
    }

    /// The next reply that has come in full. After an error, the connection is of no more use.
    package mutating func next() throws(Violation) -> Reply? {
        guard !isBroken else { return nil }
        do throws(Violation) { return try nextReply() } catch {
            isBroken = true
            throw error
        }
    }

    private mutating func nextReply() throws(Violation) -> Reply? {
        let bytes: ByteBuffer
        do throws(MessageFramer.TooLong) {
            guard let next = try framer.next() else { return nil }
            bytes = next
        } catch { throw .tooLong(limit: error.limit) }
        let message: VarlinkReplyMessage
        do throws(JSONError) { message = try VarlinkReplyMessage(reading: bytes) } catch { throw .malformed(error) }
        guard isAwaitingReply else {
            throw .unexpectedReply(message.error.map { VarlinkError($0, parameters: message.parameters) })
        }
        let reply = Reply(call: numbers[answered], message: message)
        if message.continues, message.error == nil {
            guard pendingMore[answered] else { throw .unexpectedContinues }
        } else {
            answered += 1
            if answered == numbers.count || answered == VarlinkClientConnection.compactionThreshold {
                numbers.removeFirst(answered)
                pendingMore.removeFirst(answered)
                answered = 0
            }
        }
        return reply
    }

    /// How many answered calls are kept in front of the queue before it is moved up.
    private static let compactionThreshold = 256
}
