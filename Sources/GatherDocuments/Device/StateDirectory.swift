// The directories of this user's programs.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The directory for the state of this user's programs on this machine.
package enum StateDirectory {
    /// `$XDG_STATE_HOME`, or `~/.local/state`; nil where the environment names neither. A relative path does not count (XDG Base
    /// Directory Specification).
    package static var path: String? { UserDirectory.path("XDG_STATE_HOME", orInHome: ".local/state") }
}

/// A directory of this user, as the XDG Base Directory Specification finds it.
enum UserDirectory {
    /// Returns the path in a variable of the environment, or the one below the home directory. A relative path does not count.
    static func path(_ variable: String, orInHome name: String) -> String? {
        directory(variable) ?? directory("HOME").map { $0 + "/" + name }
    }

    private static func directory(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let path = String(cString: value)
        return path.hasPrefix("/") ? path : nil
    }
}
