// The programs that can share a container with other devices.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A program that shares a container with other devices.
package enum SyncProgram: String, Sendable {
    case syncthing

    /// Globs of the names of the program and of its helper, which are no items.
    var ownNames: [String] {
        switch self {
        case .syncthing: SyncthingName.globs
        }
    }
}
