// The bytes of one JSON value, shared and not interpreted.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The bytes of one JSON value, as parameters of calls and replies travel. A value that came over a socket shares the
/// memory it was received in; copying this copies no bytes.
package struct JSONBytes: Sendable, Hashable {
    /// The bytes as NIO carries them.
    package var buffer: ByteBuffer

    /// The readable bytes of `buffer`.
    package init(_ buffer: ByteBuffer) { self.buffer = buffer }

    /// A copy of `bytes`.
    package init(_ bytes: some Sequence<UInt8>) { buffer = ByteBuffer(bytes: bytes) }

    /// The UTF-8 text of `text`.
    package init(_ text: String) { buffer = ByteBuffer(string: text) }

    /// Makes the bytes that `body` writes, which must be one value.
    package init(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        body(&writer)
        self = writer.takeBytes()
    }

    /// `{}`.
    package static let emptyObject = JSONBytes("{}")

    /// How many bytes there are.
    package var count: Int { buffer.readableBytes }

    /// Lends the bytes to `body`; they are valid inside it only.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // `withUnsafeReadableBytes` rethrows without a type, so the typed error travels beside it.
        let result: Swift.Result<Result, Failure> = buffer.withUnsafeReadableBytes { bytes in
            do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Reads the value with `body`, which must consume the whole of it.
    @discardableResult
    package func read<Result>(
        _ body: (inout JSONReader) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        try withUnsafeBytes { bytes throws(JSONError) in try JSONReader.read(bytes, body) }
    }

    /// A copy of the bytes.
    package var array: [UInt8] { Array(buffer.readableBytesView) }

    /// The text, for messages and tests.
    package var text: String { String(buffer: buffer) }
}
