// A moment of a daemon.
// SPDX-License-Identifier: Apache-2.0

/// A moment of a daemon: all changes before it are known. A later query can continue from it
/// (``MetadataQuery/init(predicate:scopes:attributes:sortedBy:limit:batchingInterval:since:daemon:)``).
///
/// The text is opaque. It is for this user and this daemon, and stays valid when the daemon restarts. Store it as it is.
public struct DaemonClock: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text of the daemon.
    public let rawValue: String

    /// Makes a clock from a text that a daemon gave. The daemon takes a text that it does not know for a forgotten clock.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text of the daemon.
    public var description: String { rawValue }
}
