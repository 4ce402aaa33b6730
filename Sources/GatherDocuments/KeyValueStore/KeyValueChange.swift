// A notification of a key-value store.
// SPDX-License-Identifier: Apache-2.0

/// A change of a ``KeyValueStore`` that the application did not make itself, or a change that a limit refused.
public struct KeyValueChange: Sendable, Hashable {
    /// The reason of a change. Reasons may be added; treat an unknown one as ``serverChange``.
    public struct Reason: RawRepresentable, Sendable, Hashable {
        /// The reason's name.
        public let rawValue: String

        /// Makes a reason from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Another process or another device has changed values.
        public static let serverChange = Reason(rawValue: "serverChange")
        /// The values of other devices arrived for the first time. The platform that Gather learns from drops values that were set
        /// before. Here they compete with the others by their time, like any change. A device that has written nothing since then gets
        /// this reason each time it opens the store.
        public static let initialSynchronization = Reason(rawValue: "initialSynchronization")
        /// A limit refused to set the keys. Nothing changed.
        public static let quotaViolation = Reason(rawValue: "quotaViolation")
    }

    /// The reason.
    public let reason: Reason
    /// The keys that changed, or were refused.
    public let keys: Set<String>

    /// Makes a change from its parts.
    public init(reason: Reason, keys: Set<String>) {
        self.reason = reason
        self.keys = keys
    }
}
