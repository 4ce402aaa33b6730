// The standard paths of the helper.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Varlink

/// The standard paths of the helper, for the system and for a user.
package struct SyncPaths: Sendable, Equatable {
    /// The socket of `io.gatherd.Sharing`.
    package var socket: String
    /// The socket of gatherd.
    package var gatherdSocket: String
    /// The places of Syncthing's configuration file. The first that exists counts.
    package var configurations: [String]
    /// Whether the group of the socket may connect.
    package var isSystem: Bool
    /// The user of Syncthing that the environment names, if any.
    package var syncthingUser: String?

    /// Makes the paths for a user in an environment.
    ///
    /// - Parameter exists: Returns whether a file exists.
    package init(userID: UInt32, environment: [String: String], exists: (String) -> Bool) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let runtimes = RuntimeDirectory.candidates(of: userID, environment: value, exists: exists)
        isSystem = userID == 0 || value("RUNTIME_DIRECTORY")?.hasPrefix("/run/gather-syncd") == true
        let directory =
            value("RUNTIME_DIRECTORY").flatMap { $0.split(separator: ":").first.map(String.init) }
            ?? (isSystem ? "/run/gather-syncd" : runtimes[0].path + "/gather-syncd")
        socket = value("GATHER_SYNC_SOCKET").map(VarlinkAddress.path) ?? directory + "/io.gatherd.Sharing"
        let users = runtimes.compactMap { $0.socket("gatherd/io.gatherd", exists: exists) }.first
        gatherdSocket =
            value("GATHER_SOCKET").map(VarlinkAddress.path) ?? (isSystem ? nil : users) ?? "/run/gatherd/io.gatherd"
        syncthingUser = value("GATHER_SYNCTHING_USER")
        configurations = []
        if let credentials = value("CREDENTIALS_DIRECTORY") { configurations.append(credentials + "/config.xml") }
        if let home = value("HOME") {
            configurations.append((value("XDG_CONFIG_HOME") ?? home + "/.config") + "/syncthing/config.xml")
            configurations.append((value("XDG_STATE_HOME") ?? home + "/.local/state") + "/syncthing/config.xml")
        }
        configurations.append("/var/lib/syncthing/.config/syncthing/config.xml")
        configurations.append("/var/lib/syncthing/.local/state/syncthing/config.xml")
    }

    /// Returns the path of a socket that an option names: a path, or a Varlink address.
    package static func socket(_ text: String) -> String { VarlinkAddress.path(text) }

    /// The paths for the user and the environment of this process. Must be called before other threads exist.
    package static var current: SyncPaths {
        var environment: [String: String] = [:]
        for name in [
            "GATHER_SYNC_SOCKET", "GATHER_SOCKET", "RUNTIME_DIRECTORY", "CREDENTIALS_DIRECTORY", "HOME",
            "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "GATHER_SYNCTHING_USER",
        ] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        if environment["HOME"]?.first != "/" { environment["HOME"] = HomeDirectory.path(of: geteuid()) }
        return SyncPaths(userID: geteuid(), environment: environment) { access($0, F_OK) == 0 }
    }
}
