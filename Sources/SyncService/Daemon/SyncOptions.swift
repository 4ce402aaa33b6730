// The options of the helper.
// SPDX-License-Identifier: Apache-2.0

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

    /// Makes options from their parts.
    package init(
        socket: Socket, gatherdSocket: String, configurations: [String], isClaiming: Bool = true, isSystem: Bool = false
    ) {
        self.socket = socket
        self.gatherdSocket = gatherdSocket
        self.configurations = configurations
        self.isClaiming = isClaiming
        self.isSystem = isSystem
    }

    /// Reads Syncthing's configuration file, which may have another key than before.
    func configuration() throws(SyncthingError) -> SyncthingConfiguration {
        let file = configurations.first { ResolvedPath.exists($0) } ?? configurations.first
        return try SyncthingConfiguration(file: file ?? "config.xml")
    }
}
