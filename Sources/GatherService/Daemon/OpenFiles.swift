// How many descriptors the process may have.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The limit of open descriptors.
enum OpenFiles {
    /// Raises the soft limit to the hard one: each live query is a connection, and the usual soft limit is 1,024.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
