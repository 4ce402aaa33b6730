// A file of a key-value store that cannot be read.
// SPDX-License-Identifier: Apache-2.0

/// A file in a store's directory that is skipped. It is kept as it is.
public struct KeyValueProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason for which a file is skipped.
    @nonexhaustive
    public enum Reason: Error, Sendable, Hashable {
        /// The file is damaged: it is cut off, its checksum is wrong, or it breaks the format.
        case damaged
        /// A newer version of Gather wrote the file, in a format of this version.
        case newerFormat(version: Int)
        /// The file is larger than any store writes.
        case tooLarge
        /// The system refused to read it, with this error number.
        case system(errno: Int32, message: String)
    }

    /// The path of the file.
    public let path: String
    /// The reason.
    public let reason: Reason

    /// The number of the system's error, if it refused to read the file (errno(3)).
    var errno: Int32? { if case .system(let code, _) = reason { code } else { nil } }

    /// A sentence for a person, without a full stop.
    public var description: String {
        switch reason {
        case .damaged: "the file \(path) is damaged"
        case .newerFormat(let version):
            "the file \(path) has format \(version), which this version of Gather does not know"
        case .tooLarge: "the file \(path) is larger than \(KeyValueLimits.largestFile) bytes"
        case .system(_, let message): "cannot read \(path): \(message)"
        }
    }
}
