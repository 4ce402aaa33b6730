// An open descriptor with one owner, and the operations of every descriptor.
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

    /// Reads available bytes into the buffer (read(2)); 0 at the end of a file.
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

    /// Fills the buffer from an offset on (pread(2)), and says how much there was.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let done = filled
            let count = try systemCall {
                clinux_pread(number, buffer.baseAddress.map { $0 + done }, buffer.count - done, Int64(offset + done))
            }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Bytes of the file (fstat(2)).
    package func size() throws(SystemError) -> Int { try systemCall { Int(clinux_file_size(number)) } }

    /// Whether a path names this very file, by device and inode. False where nothing is there.
    package func isFile(at path: UnsafePointer<CChar>) throws(SystemError) -> Bool {
        let own = try EntryStatus(of: "", in: number)
        do throws(SystemError) {
            let there = try EntryStatus(of: path, in: Entry.workingDirectory)
            return there.inode == own.inode && there.device == own.device
        } catch {
            if error == .noEntry || error == .notDirectory { return false }
            throw error
        }
    }

    /// Whether a name in an open directory is that of this file.
    package func isEntry(_ name: UnsafePointer<CChar>, in directory: CInt) throws(SystemError) -> Bool {
        let own = try EntryStatus(of: "", in: number)
        do throws(SystemError) {
            let there = try EntryStatus(of: name, in: directory)
            return there.inode == own.inode && there.device == own.device
        } catch {
            if error == .noEntry { return false }
            throw error
        }
    }

    /// Makes the file end there (ftruncate(2)).
    package func truncate(to size: Int) throws(SystemError) { try systemCall { clinux_ftruncate(number, Int64(size)) } }

    /// Writes the whole buffer.
    package func writeAll(_ buffer: UnsafeRawBufferPointer) throws(SystemError) {
        var offset = 0
        while offset < buffer.count {
            offset += try write(UnsafeRawBufferPointer(rebasing: buffer[offset...]))
        }
    }

    /// Forces written data to the disk (fsync(2)).
    package func synchronize() throws(SystemError) { try systemCall { clinux_fsync(number) } }

    /// Bytes that a read would find now (`FIONREAD` of ioctl(2)).
    package func readableBytes() throws(SystemError) -> Int { try systemCall { clinux_readable_bytes(number) } }
}
