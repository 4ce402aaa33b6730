// The directory for the sockets of a user's programs.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The directory for the sockets of a user's programs: `XDG_RUNTIME_DIR`, or `/run/user/UID`, which systemd-logind(8) makes when
/// the user logs in. Where neither is, as after su(1) or in a container of another kind, it is the directory for state: `XDG_STATE_HOME`,
/// or `~/.local/state`. The XDG Base Directory Specification asks programs for such a replacement.
package struct RuntimeDirectory: Sendable, Hashable {
    package enum Origin: Sendable, Hashable {
        /// `XDG_RUNTIME_DIR` names it. It has to exist.
        case named
        /// It is `/run/user/UID`, which exists.
        case session
        /// It is the directory for state. Programs make it, for their user alone.
        case state
    }

    package let path: String
    package let origin: Origin

    /// Returns the path of a program's socket in this directory, if that is there. A socket that a killed program left in a directory for
    /// state does not count.
    package func socket(_ name: String, exists: (String) -> Bool) -> String? {
        let socket = "\(path)/\(name)"
        return exists(socket) && !(origin == .state && DeadSocket.isAt(socket)) ? socket : nil
    }

    package init(path: String, origin: Origin) {
        self.path = path
        self.origin = origin
    }

    /// Returns the directories in which a program looks for a socket, in their order, at least one. A program that listens takes the
    /// first one.
    ///
    /// - Parameters:
    ///   - environment: Returns the value of a variable.
    ///   - exists: Returns whether a directory exists.
    package static func candidates(
        of userID: UInt32, environment: (String) -> String?, exists: (String) -> Bool
    ) -> [RuntimeDirectory] {
        // A relative path does not count.
        func directory(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = directory("HOME") ?? HomeDirectory.path(of: userID) ?? ""
        let state = RuntimeDirectory(path: directory("XDG_STATE_HOME") ?? home + "/.local/state", origin: .state)
        if let named = directory("XDG_RUNTIME_DIR") { return [RuntimeDirectory(path: named, origin: .named), state] }
        // su(1) and sudo(8) leave a session without the variable, although systemd made the directory.
        let session = "/run/user/\(userID)"
        return exists(session) ? [RuntimeDirectory(path: session, origin: .session), state] : [state]
    }
}
