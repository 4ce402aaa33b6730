// Who may call what.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Varlink

/// Who may call what. Whoever reaches the socket may ask; to change what is watched takes root or the daemon's own user.
enum AccessPolicy {
    /// Refuses everybody but root and the user that the daemon runs as.
    static func requireOperator(_ peer: PeerCredentials) throws(VarlinkError) {
        guard isOperator(peer) else { throw .permissionDenied }
    }

    /// Whether the caller is root or the user that the daemon runs as.
    static func isOperator(_ peer: PeerCredentials) -> Bool { peer.userID == 0 || peer.userID == geteuid() }
}
