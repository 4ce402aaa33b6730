// Extended attributes of entries, reached from their directory's descriptor so that no path is walked twice.
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Calls on the extended attributes of an entry of an open directory; an empty name means the directory itself.
/// Symlinks are not followed (xattr(7)).
package enum ExtendedAttributes {
    /// Reads a value into the buffer and says how many bytes it has; nil where there is none, or where the file
    /// system keeps none. An empty buffer asks for the size. `ERANGE` where the buffer is too small.
    package static func get(
        _ key: UnsafePointer<CChar>, of name: UnsafePointer<CChar>, in directory: CInt,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int? {
        do throws(SystemError) {
            return try systemCall { clinux_getxattr(directory, name, key, buffer.baseAddress, buffer.count) }
        } catch {
            if error == .noData || error == .notSupported { return nil }
            throw error
        }
    }

    /// Sets a value.
    package static func set(
        _ key: UnsafePointer<CChar>, of name: UnsafePointer<CChar>, in directory: CInt,
        to value: UnsafeRawBufferPointer
    ) throws(SystemError) {
        try systemCall { clinux_setxattr(directory, name, key, value.baseAddress, value.count) }
    }

    /// Removes an attribute.
    package static func remove(
        _ key: UnsafePointer<CChar>, of name: UnsafePointer<CChar>, in directory: CInt
    ) throws(SystemError) { try systemCall { clinux_removexattr(directory, name, key) } }

    /// The prefix of keys in the namespace `user`.
    package static let userNamespace = Array("user.".utf8)

    /// Passes each name of the namespace `user` to `body`, without its prefix. `list` holds NUL-terminated keys. The lent bytes
    /// lie in the list, between their prefix and a NUL.
    package static func forEachUserName(in list: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start < list.count, let end = list[start...].firstIndex(of: 0) {
            let key = UnsafeRawBufferPointer(rebasing: list[start..<end])
            if key.count > userNamespace.count, key.starts(with: userNamespace) {
                body(UnsafeRawBufferPointer(rebasing: key[userNamespace.count...]))
            }
            start = end + 1
        }
    }

    /// Lists the keys, each ended by a NUL, into the buffer; an empty buffer asks for the size.
    package static func list(
        of name: UnsafePointer<CChar>, in directory: CInt, into buffer: UnsafeMutableBufferPointer<CChar>
    ) throws(SystemError) -> Int {
        try systemCall { clinux_listxattr(directory, name, buffer.baseAddress, buffer.count) }
    }
}
