// The options of the helper.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Syncthing

/// The options of the helper.
package struct SyncOptions: Sendable {
    /// Where the helper listens.
    package enum Socket: Sendable {
        /// A socket file. The group of the file may connect if `isShared`.
        case path(String, isShared: Bool)
        /// A socket that the service manager passed.
        case inherited(descriptor: Int32)
    }

    package var socket: Socket
    package var gatherdSocket: String
    /// The places of Syncthing's configuration file. The first that exists counts.
    package var configurations: [String]
    /// Whether versions in conflict get names that follow from their contents.
    package var isClaiming: Bool
    /// Whether the helper is a service of the system, whose unit says where it may write.
    package var isSystem: Bool
    /// The name or number of Syncthing's user, beside the owner of the configuration file. Nil for that owner alone.
    package var syncthingUser: String?

    /// Makes options from their parts.
    package init(
        socket: Socket, gatherdSocket: String, configurations: [String], isClaiming: Bool = true,
        isSystem: Bool = false,
        syncthingUser: String? = nil
    ) {
        self.socket = socket
        self.gatherdSocket = gatherdSocket
        self.configurations = configurations
        self.isClaiming = isClaiming
        self.isSystem = isSystem
        self.syncthingUser = syncthingUser
    }

    /// Reads Syncthing's configuration file, which may have another key than before.
    func configuration() throws(SyncthingError) -> SyncthingConfiguration {
        let file = configurations.first { ResolvedPath.exists($0) } ?? configurations.first
        var configuration = try SyncthingConfiguration(file: file ?? "config.xml")
        if let syncthingUser {
            guard let number = AccountNumber.ofUser(syncthingUser) else {
                throw .configuration(
                    file: file ?? "config.xml",
                    message: "there is no user '\(syncthingUser)'; name the user of Syncthing (--syncthing-user)")
            }
            configuration.users.insert(number)
        }
        return configuration
    }
}
