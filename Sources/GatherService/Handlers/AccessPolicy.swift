// Decides which callers may make which calls.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import Varlink

/// The rules for calls. Each caller of the socket may ask, and gets what the kernel would let it find out. Only root
/// and the daemon's own user may change what is watched, and they see everything.
enum AccessPolicy {
    /// Throws unless the caller is root or the daemon's own user.
    static func requireOperator(_ peer: PeerCredentials) throws(VarlinkError) {
        guard isOperator(peer) else { throw .permissionDenied }
    }

    /// Whether the caller is root or the daemon's own user. A caller that the daemon's user namespace does not map is
    /// neither (``UnmappedIDs/none``), even if the daemon's own user is not mapped.
    static func isOperator(_ peer: PeerCredentials) -> Bool { peer.userID == 0 || peer.userID == geteuid() }
}

extension PeerCredentials {
    /// The user, with the effective and the supplementary groups.
    var credentials: Credentials { Credentials(user: userID, groups: groups + [groupID]) }
}
