// The client's side of a connection as a state machine: calls in, bytes out; bytes in, replies out. No sockets.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The client's side of one connection. Any number of calls may be pipelined; replies come in the order of the calls.
package struct VarlinkClientConnection {
    /// A reply that Varlink does not allow.
    package enum Violation: Error, Sendable, Hashable, CustomStringConvertible {
        /// Bytes that begin no message: the first line of them, cut after some bytes. Control characters are in it.
        case foreign(String)
        /// A reply is no JSON object of the right form.
        case malformed(JSONError)
        /// A reply is longer than this many bytes.
        case tooLong(limit: Int)
        /// A reply came to no call; where it is an error, such as that of a server that has no room for another
        /// connection, that.
        case unexpectedReply(VarlinkError?)
        /// `continues` in the reply to a call without `more`.
        case unexpectedContinues

        package var description: String {
            switch self {
            case .foreign(let text): "'\(text)' is no message"
            case .malformed(let error): "\(error)"
            case .tooLong(let limit): "a message is longer than \(limit) bytes"
            case .unexpectedReply(nil): "more follows the last reply"
            case .unexpectedReply(let error?): "\(error)"
            case .unexpectedContinues: "a reply announces others to a call that has one"
            }
        }
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
        let next: ByteBuffer?
        do throws(MessageFramer.TooLong) { next = try framer.next() } catch { throw .tooLong(limit: error.limit) }
        guard let bytes = next else {
            // A greeting may never end with NUL.
            if let (text, isWhole) = foreignStart, isWhole { throw .foreign(text) }
            return nil
        }
        let message: VarlinkReplyMessage
        do throws(JSONError) { message = try VarlinkReplyMessage(reading: bytes) } catch {
            if let (text, _) = VarlinkClientConnection.foreignStart(bytes.readableBytesView) { throw .foreign(text) }
            throw .malformed(error)
        }
        guard isAwaitingReply else {
            throw .unexpectedReply(message.error.map { VarlinkError($0, parameters: message.parameters) })
        }
        let reply = Reply(call: numbers[answered], message: message)
        if message.continues, message.error == nil {
            guard pendingMore[answered] else { throw .unexpectedContinues }
        } else {
            answered += 1
            // `continues` was forgotten, or the other end is no service.
            let rest = framer.start(VarlinkClientConnection.foreignBytes)
            if !isAwaitingReply, !rest.allSatisfy(MessageFramer.whiteSpace.contains) { throw .unexpectedReply(nil) }
            if answered == numbers.count || answered == VarlinkClientConnection.compactionThreshold {
                numbers.removeFirst(answered)
                pendingMore.removeFirst(answered)
                answered = 0
            }
        }
        return reply
    }

    /// The violation of the bytes that have come, where no more will come; nil if they are the start of a message, or none.
    package var violationAtEnd: Violation? { isBroken ? nil : foreignStart.map { .foreign($0.text) } }

    /// The most bytes of ``Violation/foreign(_:)``.
    private static let foreignBytes = 80

    private var foreignStart: (text: String, isWhole: Bool)? {
        VarlinkClientConnection.foreignStart(framer.start(VarlinkClientConnection.foreignBytes))
    }

    /// Returns the first line of bytes that begin no message, and whether all of it has come.
    private static func foreignStart(_ bytes: some Collection<UInt8>) -> (text: String, isWhole: Bool)? {
        let rest = bytes.drop { MessageFramer.whiteSpace.contains($0) }
        guard let first = rest.first, first != UInt8(ascii: "{"), first != 0 else { return nil }
        let line = rest.prefix(foreignBytes).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
        let isWhole = line.count < rest.count || bytes.count >= foreignBytes
        return (String(decoding: line, as: UTF8.self), isWhole)
    }

    /// How many answered calls are kept in front of the queue before it is moved up.
    private static let compactionThreshold = 256
}
