// The MIME types of entries that are no regular files.
// SPDX-License-Identifier: Apache-2.0

/// The MIME types that the specification gives to entries that are no regular files.
package enum EntryType: String, Sendable, CaseIterable {
    case directory = "inode/directory"
    case symlink = "inode/symlink"
    case fifo = "inode/fifo"
    case socket = "inode/socket"
    case characterDevice = "inode/chardevice"
    case blockDevice = "inode/blockdevice"

    var number: Int {
        switch self {
        case .directory: 0
        case .symlink: 1
        case .fifo: 2
        case .socket: 3
        case .characterDevice: 4
        case .blockDevice: 5
        }
    }
}
