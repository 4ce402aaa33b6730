// Cutting a stream of bytes into messages: each is closed by one NUL.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import NIOCore

/// Cuts the bytes of a socket into messages (varlink.org, "Method Call": a message is closed by one NUL byte).
///
/// A message that came in one piece is a slice of the buffer it was read into; each byte is searched for NUL once.
package struct MessageFramer {
    /// A message was longer than it may be.
    package struct TooLong: Error, Hashable {
        /// The limit, in bytes without the NUL.
        package var limit: Int
    }

    /// The longest message accepted, in bytes without its NUL.
    package let maximumMessageBytes: Int

    private var buffer: ByteBuffer?
    /// How many readable bytes of `buffer` are known to hold no NUL.
    private var searched = 0

    /// A framer for messages of at most this many bytes, without the NUL.
    package init(maximumMessageBytes: Int) {
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// How many bytes wait to be cut.
    package var pendingBytes: Int { buffer?.readableBytes ?? 0 }

    /// How much memory those bytes keep, which may be far more than there are of them.
    package var pendingCapacity: Int { buffer?.storageCapacity ?? 0 }

    /// How many messages have been cut.
    package private(set) var messageCount = 0

    /// A buffer is made to fit when this much of it would be empty: a byte that waits must not keep a whole read's memory.
    private static let slack = 1024

    /// Takes in bytes that were read.
    package mutating func receive(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        guard var pending = buffer.take() else {
            buffer = bytes
            return
        }
        var bytes = bytes
        pending.writeBuffer(&bytes)
        buffer = pending
    }

    /// Takes in bytes that `body` puts into the memory it is lent, of which there are at least `minimum`; it returns
    /// how many it has put there. Saves the copy that ``receive(_:)`` makes of all but a message's first piece.
    package mutating func receive(
        atLeast minimum: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) {
        var pending = buffer.take() ?? ByteBuffer()
        pending.writeWithUnsafeMutableBytes(minimumWritableBytes: minimum) { max(0, body($0)) }
        if pending.readableBytes > 0 { buffer = pending }
    }

    /// Returns the first bytes of those that wait to be cut, this many at most.
    package func start(_ most: Int) -> [UInt8] { buffer.map { Array($0.readableBytesView.prefix(most)) } ?? [] }

    /// Drops the white space before a message. `gather bridge` sends it as a sign of life. It counts neither for the limit nor for the
    /// position of an error, however the bytes are cut.
    private func trimmed(_ bytes: ByteBuffer) -> ByteBuffer {
        var bytes = bytes
        bytes.moveReaderIndex(forwardBy: bytes.readableBytesView.prefix { MessageFramer.whiteSpace.contains($0) }.count)
        return bytes
    }

    /// The white space of JSON (RFC 8259, section 2).
    package static let whiteSpace = Array(" \t\r\n".utf8)

    /// The next whole message without its NUL, or nil when more bytes are needed. Throws as soon as it is certain that
    /// the message is too long, before its end has come.
    package mutating func next() throws(TooLong) -> ByteBuffer? {
        guard var pending = buffer.take() else { return nil }
        if searched == 0 { pending = trimmed(pending) }
        let end = pending.withUnsafeReadableBytes { bytes -> Int? in
            guard let start = bytes.baseAddress, searched < bytes.count else { return nil }
            return memchr(start + searched, 0, bytes.count - searched).map { UnsafeRawPointer($0) - start }
        }
        guard let end else {
            searched = pending.readableBytes
            guard searched > 0 else { return nil }
            if pending.storageCapacity > 2 * searched + MessageFramer.slack {
                pending = ByteBuffer(buffer: pending)
            }
            buffer = pending
            guard searched <= maximumMessageBytes else { throw TooLong(limit: maximumMessageBytes) }
            return nil
        }
        searched = 0
        messageCount += 1
        guard end <= maximumMessageBytes, let message = pending.readSlice(length: end) else {
            throw TooLong(limit: maximumMessageBytes)
        }
        pending.moveReaderIndex(forwardBy: 1)
        if pending.readableBytes > 0 { buffer = pending }
        return message
    }
}
