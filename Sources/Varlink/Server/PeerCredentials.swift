// The credentials of a Unix socket's peer, from the kernel.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The credentials that the kernel recorded when the peer connected (`unix(7)`, SO_PEERCRED and SO_PEERGROUPS). The
/// peer cannot choose them.
package struct PeerCredentials: Sendable, Hashable {
    /// The process; 0 if it is in a PID namespace that this process cannot see.
    package var processID: Int32
    /// The effective user; ``UnmappedIDs/none`` if this user namespace does not map it.
    package var userID: UInt32
    /// The effective group; ``UnmappedIDs/none`` if this user namespace does not map it.
    package var groupID: UInt32
    /// The supplementary groups that this user namespace maps.
    package var groups: [UInt32]

    /// Makes credentials from their parts.
    package init(processID: Int32, userID: UInt32, groupID: UInt32, groups: [UInt32]) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
        self.groups = groups
    }

    /// Reads the credentials of the peer of a connected Unix socket. A user or group with the overflow number is not
    /// mapped, and matches no other.
    package init(ofPeer descriptor: CInt, unmapped: UnmappedIDs = .ofThisProcess) throws(VarlinkSocketError) {
        // `struct ucred`: process, user and group, 32 bits each. Glibc declares it for GNU sources only.
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
            // With ERANGE, the kernel has set the required length.
            guard errno == ERANGE, Int(length) / 4 > groups.count else {
                throw VarlinkSocketError(operation: .credentials, errno: errno)
            }
            groups = [UInt32](repeating: 0, count: Int(length) / 4)
        }
        self.init(
            processID: numbers.0, userID: unmapped.user(numbers.1), groupID: unmapped.group(numbers.2),
            groups: groups.filter { unmapped.group($0) == $0 })
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
