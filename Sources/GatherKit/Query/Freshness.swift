// How fresh an answer must be.
// SPDX-License-Identifier: Apache-2.0

/// How fresh an answer must be.
public enum Freshness: Sendable, Hashable {
    /// The answer reflects every change made before the call. The daemon first reads the changes that wait.
    case afterFlush
    /// The answer is from the present index, at once.
    case asKnown

    /// The field `sync` of a request; nil for the daemon's default.
    var sync: Bool? { self == .afterFlush ? nil : false }
}
