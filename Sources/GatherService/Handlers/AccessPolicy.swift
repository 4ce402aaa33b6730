// Who may call what, and who sees what.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import Varlink

/// Who may call what. Whoever reaches the socket may ask, and is told what the kernel would let them find out by themselves;
/// to change what is watched takes root or the daemon's own user, who are told everything.
enum AccessPolicy {
    /// Refuses everybody but root and the user that the daemon runs as.
    static func requireOperator(_ peer: PeerCredentials) throws(VarlinkError) {
        guard isOperator(peer) else { throw .permissionDenied }
    }

    /// Whether the caller is root or the user that the daemon runs as.
    static func isOperator(_ peer: PeerCredentials) -> Bool { peer.userID == 0 || peer.userID == geteuid() }
}

extension PeerCredentials {
    /// The user, with the effective and the supplementary groups.
    var credentials: Credentials { Credentials(user: userID, groups: groups + [groupID]) }
}
