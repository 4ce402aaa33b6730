// Permissions on a file.
// SPDX-License-Identifier: Apache-2.0

/// Permissions on a file, as bits of its mode.
package struct Permissions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To run a file, or to look up names in a directory.
    package static let search = Permissions(rawValue: 1)
    package static let write = Permissions(rawValue: 2)
    /// To read a file, or to list a directory.
    package static let read = Permissions(rawValue: 4)
}
