// Why bytes are no saved state.
// SPDX-License-Identifier: Apache-2.0

/// Why bytes are no saved state, or none that can be used. Nothing was changed by the attempt.
package enum RestoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end too early.
    case truncated
    /// They were not written by Gather.
    case foreign
    /// They were written by another version of Gather.
    case version(UInt32)
    /// A checksum does not fit its data.
    case checksum
    /// The bytes say something that cannot be.
    case malformed(String)
    /// Reading them failed.
    case unreadable(String)

    package var description: String {
        switch self {
        case .truncated: "it ends too early"
        case .foreign: "it is not a file of gatherd's"
        case .version(let version): "it is of format \(version), which this gatherd does not know"
        case .checksum: "a checksum does not fit"
        case .malformed(let what): "\(what) cannot be"
        case .unreadable(let why): why
        }
    }
}
