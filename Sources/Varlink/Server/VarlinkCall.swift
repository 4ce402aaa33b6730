// A call that waits for its answer.
// SPDX-License-Identifier: Apache-2.0

/// Answers calls on the server's event loop.
package protocol VarlinkHandler: AnyObject {
    /// Answers a call, now or later, on the same loop. The method is declared in a registered interface, and the
    /// parameters have the declared types. The parameters are valid until this returns.
    func handle(_ call: VarlinkCall)
}

/// A call that waits for its answer. Event loop only.
///
/// It ends with a reply that does not continue, with ``fail(_:)``, or when the connection closes. Later replies are
/// dropped, and the callbacks are released.
package final class VarlinkCall {
    /// The qualified name of the method, such as `io.gatherd.Query.Find`.
    package let method: String
    /// The parameters, one JSON object, checked against the interface; `{}` after ``VarlinkHandler/handle(_:)`` has
    /// returned.
    package private(set) var parameters: JSONBytes
    /// Whether the caller accepts more than one reply.
    package let wantsMore: Bool
    /// Whether the caller wants no reply. Replies are dropped.
    package let isOneway: Bool
    /// The credentials of the caller.
    package let peer: PeerCredentials

    /// Called whenever the connection becomes writable again, until the call ends.
    package var onWritable: (() -> Void)? {
        // After the end of the call, it would never be called, nor released.
        didSet { if connection == nil, onWritable != nil { onWritable = nil } }
    }
    /// Called when the connection closes before the last reply.
    package var onClose: (() -> Void)? {
        didSet { if connection == nil, onClose != nil { onClose = nil } }
    }

    /// Called once when the call ends for any reason. Its last replies may not be sent yet.
    package var onEnd: (() -> Void)?

    /// The connection; nil after the end of the call.
    private var connection: VarlinkServerHandler?

    init(_ message: VarlinkCallMessage, peer: PeerCredentials, connection: VarlinkServerHandler) {
        method = message.method
        parameters = message.parameters
        wantsMore = message.more
        isOneway = message.oneway
        self.peer = peer
        self.connection = message.oneway ? nil : connection
    }

    /// Whether the call has had its last reply, or the connection is closed.
    package var hasEnded: Bool { connection == nil }

    /// Whether at most `VarlinkLimits.unwritableAt` bytes wait to be read by the caller. A service that streams makes
    /// its next reply only then. ``onWritable`` reports the change.
    package var isWritable: Bool { connection?.isWritable ?? false }

    /// Sends a reply. It ends the call unless it `continues`, which only a call with ``wantsMore`` may.
    package func reply(_ parameters: JSONBytes = .emptyObject, continues: Bool = false) {
        parameters.withUnsafeBytes { reply($0, continues: continues) }
    }

    /// Sends the JSON object in `writer`, which can be reused afterwards.
    package func reply(_ writer: borrowing JSONWriter, continues: Bool = false) {
        writer.withUnsafeBytes { reply($0, continues: continues) }
    }

    /// Sends the bytes of one JSON object, which are copied once.
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

    /// Closes the connection, even if replies are missing.
    package func close() { connection?.close() }

    /// Releases the parameters. They keep the buffer in which they were received, and an answer may take without a
    /// limit.
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
