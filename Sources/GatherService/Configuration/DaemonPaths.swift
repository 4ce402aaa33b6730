// Where the daemon's files are: for the system, for a user, and as systemd says.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The daemon's standard places.
package struct DaemonPaths: Sendable, Equatable {
    package var configuration: String
    package var socket: String
    package var stateDirectory: String
    /// Whether this is the system's service (then a group may connect) or a user's own.
    package var isSystem: Bool

    /// The places for the user `userID` in this environment: root's are the system's. (The system unit runs as a user
    /// of its own; it names its files by flags and gets its socket from systemd.)
    /// `RUNTIME_DIRECTORY`, `STATE_DIRECTORY` and `CONFIGURATION_DIRECTORY`, which systemd sets, come first
    /// (systemd.exec(5)); where they name several directories the first counts.
    package init(userID: UInt32, environment: [String: String]) {
        func directory(_ name: String) -> String? {
            guard let value = environment[name], let first = value.split(separator: ":").first, first.first == "/"
            else { return nil }
            return String(first)
        }
        isSystem = userID == 0
        if isSystem {
            configuration = (directory("CONFIGURATION_DIRECTORY") ?? "/etc/gatherd") + "/gatherd.toml"
            socket = (directory("RUNTIME_DIRECTORY") ?? "/run/gatherd") + "/io.gatherd"
            stateDirectory = directory("STATE_DIRECTORY") ?? "/var/lib/gatherd"
        } else {
            let home = directory("HOME") ?? "/"
            let base = directory("XDG_CONFIG_HOME") ?? home + "/.config"
            configuration = (directory("CONFIGURATION_DIRECTORY") ?? base + "/gatherd") + "/gatherd.toml"
            let runtime = directory("XDG_RUNTIME_DIR") ?? "/run/user/\(userID)"
            socket = (directory("RUNTIME_DIRECTORY") ?? runtime + "/gatherd") + "/io.gatherd"
            let state = directory("XDG_STATE_HOME") ?? home + "/.local/state"
            stateDirectory = directory("STATE_DIRECTORY") ?? state + "/gatherd"
        }
    }

    /// The places for the user and the environment of this process. To be asked before other threads exist.
    package static var current: DaemonPaths {
        var environment: [String: String] = [:]
        for name in [
            "CONFIGURATION_DIRECTORY", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "HOME", "XDG_CONFIG_HOME",
            "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
        ] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return DaemonPaths(userID: geteuid(), environment: environment)
    }
}
