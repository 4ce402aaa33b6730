// io.gatherd.Query.Kind as it travels.
// SPDX-License-Identifier: Apache-2.0

/// The kind of an item.
package enum ItemKind: String, OpenEnumeration {
    case file
    case directory
    case package
    case symlink
    case fifo
    case socket
    case characterDevice
    case blockDevice
    /// A value that is not known here.
    case other
}
