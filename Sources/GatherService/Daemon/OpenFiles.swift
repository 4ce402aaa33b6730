// The limit of open descriptors.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The limit of open descriptors.
enum OpenFiles {
    /// Raises the soft limit to the hard one: each live query is a connection, and the usual soft limit is 1,024.
    /// Returns the limit in force.
    @discardableResult
    static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        guard before < limit.rlim_max, setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 else {
            return Int(clamping: limit.rlim_cur)
        }
        return Int(clamping: before)
    }

    /// Raises the limit and returns it. Throws if it is too low to start: a library without a descriptor ends or blocks
    /// without a message.
    static func raiseLimitToEnough() throws(StartError) -> Int {
        let limit = raiseLimit()
        guard limit >= Limits.leastDescriptors else { throw StartError(descriptors: limit) }
        return limit
    }

    /// Returns the number of connections for a limit of descriptors. The rest is reserved, since a process without
    /// descriptors can neither refuse a caller nor read a directory.
    static func connections(_ wanted: Int, descriptors: Int) -> Int {
        min(wanted, max(descriptors - Limits.otherDescriptors, descriptors / 2))
    }

    /// Returns the number of connections of one user. If descriptors lower the number for all, one user may not have them all.
    static func connectionsPerUser(_ wanted: Int, of connections: Int, wanted all: Int) -> Int {
        connections < all ? min(wanted, max(connections / 4, 1)) : wanted
    }
}
