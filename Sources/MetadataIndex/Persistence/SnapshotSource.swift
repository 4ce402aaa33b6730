// Where a saved index is read from.
// SPDX-License-Identifier: Apache-2.0

/// Where a saved index is read from: a file, or bytes in memory. From any thread, several at a time.
package protocol SnapshotSource: Sendable {
    /// How many bytes there are.
    var byteCount: Int { get }
    /// Fills a buffer with the bytes from an offset on; all of them, or it throws.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(RestoreError)
}

extension [UInt8]: SnapshotSource {
    package var byteCount: Int { count }
    package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(RestoreError) {
        guard offset >= 0, offset <= count, buffer.count <= count - offset else { throw .truncated }
        withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + buffer.count]))
        }
    }
}

/// Calls `body` with each number below `count`, on as many threads as it likes, and returns when all calls have.
package typealias Concurrently = (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

/// One after the other.
package func inOrder(_ count: Int, _ body: @Sendable (Int) -> Void) { for number in 0..<count { body(number) } }
