// The identity of an item.
// SPDX-License-Identifier: Apache-2.0

extension MetadataItem {
    /// The identity of an item, opaque and never reused. Predicates compare it as the attribute `id`.
    public struct ID: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible, ExpressibleByStringLiteral
    {
        /// The text of the daemon.
        public let rawValue: String

        /// Makes an identity from a text that a daemon gave.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Makes an identity from a literal.
        public init(stringLiteral text: String) { self.init(rawValue: text) }

        /// The text of the daemon.
        public var description: String { rawValue }
    }
}
