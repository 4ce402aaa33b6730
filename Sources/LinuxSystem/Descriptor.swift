// An open descriptor with one owner, and what every descriptor can do.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// An open descriptor that is closed when its owner lets go of it.
package struct Descriptor: ~Copyable, Sendable {
    /// The number, for calls that are made while the descriptor is alive.
    package let number: CInt

    /// Takes ownership of an open descriptor.
    package init(owning number: CInt) { self.number = number }

    deinit { close(number) }

    /// Gives up ownership: the caller closes it.
    package consuming func release() -> CInt {
        let number = number
        discard self
        return number
    }

    /// Reads what is there into the buffer (read(2)); 0 at the end of a file.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try systemCall { clinux_read(number, buffer.baseAddress, buffer.count) }
    }

    /// Writes from the buffer (write(2)), and says how much.
    package func write(_ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        try systemCall { clinux_write(number, buffer.baseAddress, buffer.count) }
    }

    /// Writes the whole array.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let start = offset
            let number = number
            let count = try systemCall {
                bytes.withUnsafeBytes { clinux_write(number, $0.baseAddress.map { $0 + start }, $0.count - start) }
            }
            offset += count
        }
    }

    /// Forces what was written to the disk (fsync(2)).
    package func synchronize() throws(SystemError) { try systemCall { clinux_fsync(number) } }

    /// Bytes that a read would find now (`FIONREAD` of ioctl(2)).
    package func readableBytes() throws(SystemError) -> Int { try systemCall { clinux_readable_bytes(number) } }
}
