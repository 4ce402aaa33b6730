// One call that waits for its answer.
// SPDX-License-Identifier: Apache-2.0

/// Answers calls. Everything happens on the server's event loop.
package protocol VarlinkHandler: AnyObject {
    /// Answers `call`, now or later, on the same loop. The method exists in a registered interface, and the parameters
    /// are as declared there; they are there until this returns.
    func handle(_ call: VarlinkCall)
}

/// One call that waits for its answer; used on the server's event loop only.
///
/// It ends with a reply that does not continue, with ``fail(_:)``, or when the connection closes; afterwards replies
/// go nowhere, and the callbacks are let go.
package final class VarlinkCall {
    /// The fully qualified method, such as `io.gatherd.Query.Find`.
    package let method: String
    /// The parameters, one JSON object, checked against the interface; `{}` once ``VarlinkHandler/handle(_:)`` has returned.
    package private(set) var parameters: JSONBytes
    /// Whether the caller takes more than one reply.
    package let wantsMore: Bool
    /// Whether the caller wants no reply; what is replied goes nowhere.
    package let isOneway: Bool
    /// Who calls.
    package let peer: PeerCredentials

    /// Called each time the connection has become writable again after it was not, until the call ends.
    package var onWritable: (() -> Void)? {
        // Set too late it would never be called, nor let go of.
        didSet { if connection == nil, onWritable != nil { onWritable = nil } }
    }
    /// Called when the connection closes before the call has been answered in full.
    package var onClose: (() -> Void)? {
        didSet { if connection == nil, onClose != nil { onClose = nil } }
    }

    /// Called once when the call ends, however that comes; what comes of it is still on its way then.
    package var onEnd: (() -> Void)?

    /// Nil once the call has ended.
    private var connection: VarlinkServerHandler?

    init(_ message: VarlinkCallMessage, peer: PeerCredentials, connection: VarlinkServerHandler) {
        method = message.method
        parameters = message.parameters
        wantsMore = message.more
        isOneway = message.oneway
        self.peer = peer
        self.connection = message.oneway ? nil : connection
    }

    /// Whether the call has been answered in full, or its connection is gone.
    package var hasEnded: Bool { connection == nil }

    /// Whether bytes given now go out soon: false while more than `VarlinkLimits.unwritableAt` are waiting to be taken.
    /// A service that streams makes its next reply only when this is true; ``onWritable`` tells when it is again.
    package var isWritable: Bool { connection?.isWritable ?? false }

    /// Sends a reply, which ends the call unless it `continues`. Only a call with ``wantsMore`` may be continued.
    package func reply(_ parameters: JSONBytes = .emptyObject, continues: Bool = false) {
        parameters.withUnsafeBytes { reply($0, continues: continues) }
    }

    /// Sends what `writer` holds, one JSON object; the writer keeps it, and may be emptied and used again.
    package func reply(_ writer: borrowing JSONWriter, continues: Bool = false) {
        writer.withUnsafeBytes { reply($0, continues: continues) }
    }

    /// Sends the bytes of one JSON object, copied once, straight into the message.
    package func reply(_ parameters: UnsafeRawBufferPointer, continues: Bool = false) {
        guard let connection else { return }
        if !continues || !wantsMore { end() }
        connection.reply(parameters, continues: continues)
    }

    /// Sends an error, which ends the call.
    package func fail(_ error: VarlinkError) {
        guard let connection else { return }
        end()
        connection.fail(error)
    }

    /// Closes the connection, whatever of the answer is missing.
    package func close() { connection?.close() }

    /// Forgets the parameters: they keep the memory that they came in, whatever came with them, and an answer may take for
    /// ever.
    func releaseParameters() { parameters = .emptyObject }

    func connectionClosed() {
        let onClose = onClose
        end()
        onClose?()
    }

    private func end() {
        connection = nil
        onWritable = nil
        onClose = nil
        onEnd.take()?()
    }
}
