// Sockets that a killed program left.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Sockets that a killed program left. A directory such as `/run/user/UID` goes when its user logs out, but one for state stays.
package enum DeadSocket {
    /// Returns whether nothing listens on a Unix socket that is there. Does not wait: a full queue means that something listens.
    package static func isAt(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let end = Descriptor(owning: socket(AF_UNIX, type, 0))
        guard end.number >= 0 else { return false }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(end.number, $0, length) }
        }
        return result != 0 && errno == ECONNREFUSED
    }
}
