// The standard paths of the daemon, for the system and for a user.
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinuxSystem
import Varlink

/// The standard paths of the daemon.
package struct DaemonPaths: Sendable, Equatable {
    package var configuration: String
    package var socket: String
    package var stateDirectory: String
    /// Whether the paths are those of the system's service, to which a group may connect.
    package var isSystem: Bool
    /// The directory that holds the socket's directory, which has to exist. Nil for the system, if systemd names one, and if the
    /// daemon makes it.
    package private(set) var runtimeDirectory: RuntimeDirectory?

    /// Makes the paths for a user in an environment. Root gets those of the system.
    ///
    /// `RUNTIME_DIRECTORY`, `STATE_DIRECTORY` and `CONFIGURATION_DIRECTORY` take precedence; systemd sets them
    /// (systemd.exec(5)). If one has several directories, the first counts.
    ///
    /// - Parameter exists: Returns whether a directory exists.
    package init(userID: UInt32, environment: [String: String], exists: (String) -> Bool = { access($0, F_OK) == 0 }) {
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
            let home = directory("HOME") ?? ""
            let base = directory("XDG_CONFIG_HOME") ?? home + "/.config"
            configuration = (directory("CONFIGURATION_DIRECTORY") ?? base + "/gatherd") + "/gatherd.toml"
            let runtime = RuntimeDirectory.candidates(of: userID, environment: { environment[$0] }, exists: exists)[0]
            socket = (directory("RUNTIME_DIRECTORY") ?? runtime.path + "/gatherd") + "/io.gatherd"
            if directory("RUNTIME_DIRECTORY") == nil, runtime.origin != .state { runtimeDirectory = runtime }
            let state = directory("XDG_STATE_HOME") ?? home + "/.local/state"
            stateDirectory = directory("STATE_DIRECTORY") ?? state + "/gatherd"
        }
    }

    /// Returns the path of a socket that an option names: a path, or a Varlink address such as `unix:/run/gatherd/io.gatherd`.
    package static func socket(_ text: String) -> String { VarlinkAddress.path(text) }

    /// The paths for the user and the environment of this process. Must be called before other threads exist.
    package static var current: DaemonPaths {
        var environment: [String: String] = [:]
        for name in [
            "CONFIGURATION_DIRECTORY", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "HOME", "XDG_CONFIG_HOME",
            "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
        ] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        if environment["HOME"]?.first != "/" { environment["HOME"] = HomeDirectory.path(of: geteuid()) }
        return DaemonPaths(userID: geteuid(), environment: environment)
    }
}
