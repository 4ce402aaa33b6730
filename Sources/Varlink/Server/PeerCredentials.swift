// Who is at the other end of a Unix socket, as the kernel tells it.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Who connected, as the kernel noted it when the connection was made (`unix(7)`, SO_PEERCRED and SO_PEERGROUPS):
/// nothing that the peer says about itself.
package struct PeerCredentials: Sendable, Hashable {
    /// The process; 0 where it lies in a PID namespace that cannot be seen from here.
    package var processID: Int32
    /// The effective user.
    package var userID: UInt32
    /// The effective group.
    package var groupID: UInt32
    /// The supplementary groups.
    package var groups: [UInt32]

    /// Credentials from their parts.
    package init(processID: Int32, userID: UInt32, groupID: UInt32, groups: [UInt32]) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
        self.groups = groups
    }

    /// The credentials of the peer of a connected Unix socket.
    package init(ofPeer descriptor: CInt) throws(VarlinkSocketError) {
        // `struct ucred`: three 32-bit numbers, process, user, group. Glibc shows it to GNU sources only.
        var numbers = (Int32(0), UInt32(0), UInt32(0))
        var length = socklen_t(MemoryLayout.size(ofValue: numbers))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &numbers, &length) == 0 else {
            throw VarlinkSocketError(operation: .credentials, errno: errno)
        }
        var groups = [UInt32](repeating: 0, count: 32)
        while true {
            var length = socklen_t(groups.count * 4)
            if getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 {
                groups.removeSubrange(Int(length) / 4..<groups.count)
                break
            }
            // ERANGE: the kernel has put the length that is needed.
            guard errno == ERANGE, Int(length) / 4 > groups.count else {
                throw VarlinkSocketError(operation: .credentials, errno: errno)
            }
            groups = [UInt32](repeating: 0, count: Int(length) / 4)
        }
        self.init(processID: numbers.0, userID: numbers.1, groupID: numbers.2, groups: groups)
    }

    /// The credentials of this process.
    package static var current: PeerCredentials {
        var groups = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
        let count = getgroups(CInt(groups.count), &groups)
        return PeerCredentials(
            processID: getpid(), userID: geteuid(), groupID: getegid(), groups: Array(groups.prefix(Int(max(count, 0))))
        )
    }
}
