// The server's side of a connection as a state machine: bytes in, calls out; replies in, bytes out. No sockets.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The server's side of one connection: pipelined calls are answered one at a time, in the order of their arrival.
///
/// Pass received bytes to ``receive(_:)``, then call ``next()`` until it returns nil. After a `call`, `next` stays nil until
/// that call has had its last reply. After `refuse` the connection cannot be used any more.
package struct VarlinkServerConnection {
    /// The meaning of the bytes received so far.
    package enum Event: Sendable {
        /// A call to answer. One with `oneway` counts as answered at once.
        case call(VarlinkCallMessage)
        /// The bytes are no call. Send `frame` if there is one, then close.
        case refuse(frame: ByteBuffer?, cause: Refusal)
    }

    /// Why a connection is ended.
    package enum Refusal: Error, Sendable, Hashable {
        /// A message is longer than this many bytes.
        case tooLong(limit: Int)
        /// A message is no call.
        case malformed(VarlinkCallMessage.Malformed)
    }

    private enum State {
        case idle
        case answering(more: Bool)
        case refused
    }

    private var state = State.idle
    private var framer: MessageFramer
    private let tooLong: VarlinkError

    /// A connection that accepts messages of at most `maximumMessageBytes` and answers a longer one with `tooLong`.
    package init(maximumMessageBytes: Int, tooLong: VarlinkError = .invalidParameter("message")) {
        framer = MessageFramer(maximumMessageBytes: maximumMessageBytes)
        self.tooLong = tooLong
    }

    /// Whether a call is waiting for its last reply.
    package var isAnswering: Bool {
        if case .answering = state { true } else { false }
    }

    /// Returns whether to read on. False once refused, and while no call is taken and one whole message is already buffered. No
    /// call is taken while one is being answered or `takingCalls` is false.
    package func wantsInput(takingCalls: Bool = true) -> Bool {
        switch state {
        case .idle where takingCalls: true
        case .idle, .answering: framer.pendingBytes <= framer.maximumMessageBytes
        case .refused: false
        }
    }

    /// The number of a message that has arrived in part and is the only thing to wait for; nil at any other time. Valid right
    /// after ``next()`` returned nil.
    package var awaitedMessage: Int? {
        if case .idle = state, framer.pendingBytes > 0 { framer.messageCount } else { nil }
    }

    /// How much memory the bytes keep that came and were not looked at.
    package var pendingCapacity: Int { framer.pendingCapacity }

    /// Ends the connection from this side: no further call comes of it. Returns what to send before it is closed, which
    /// ends a call that is being answered as well.
    package mutating func refuse(_ error: VarlinkError) -> ByteBuffer {
        state = .refused
        framer = MessageFramer(maximumMessageBytes: framer.maximumMessageBytes)
        return VarlinkReplyMessage.frame(error)
    }

    /// Takes in bytes that were read. They are only kept; ``next()`` looks at them.
    package mutating func receive(_ bytes: ByteBuffer) {
        if case .refused = state { return }
        framer.receive(bytes)
    }

    /// The next call, or nil while one is being answered or the next has not come in full.
    package mutating func next() -> Event? {
        guard case .idle = state else { return nil }
        let message: ByteBuffer
        do throws(MessageFramer.TooLong) {
            guard let next = try framer.next() else { return nil }
            message = next
        } catch {
            state = .refused
            return .refuse(frame: VarlinkReplyMessage.frame(tooLong), cause: .tooLong(limit: error.limit))
        }
        do throws(VarlinkCallMessage.Malformed) {
            let call = try VarlinkCallMessage(reading: message)
            if !call.oneway { state = .answering(more: call.more) }
            return .call(call)
        } catch {
            state = .refused
            // A oneway call gets no reply, not even that it is malformed.
            let frame = error.part == "oneway" ? nil : VarlinkReplyMessage.frame(.invalidParameter(error.part))
            return .refuse(frame: frame, cause: .malformed(error))
        }
    }

    /// Ends the call being answered without a reply, for a peer that is gone.
    package mutating func abandon() {
        if case .answering = state { state = .idle }
    }

    /// The bytes of a reply to the call being answered, or nil when there is none. A reply ends its call unless it
    /// `continues`, which only a call with `more` can be answered with.
    package mutating func reply(_ parameters: UnsafeRawBufferPointer, continues: Bool) -> ByteBuffer? {
        guard case .answering(let more) = state else { return nil }
        assert(more || !continues, "a call without more has one reply")
        let continues = continues && more
        if !continues { state = .idle }
        return VarlinkReplyMessage.frame(parameters, continues: continues)
    }

    /// The bytes of an error reply to the call being answered, which ends it, or nil when there is none.
    package mutating func fail(_ error: VarlinkError) -> ByteBuffer? {
        guard case .answering = state else { return nil }
        state = .idle
        return VarlinkReplyMessage.frame(error)
    }
}
