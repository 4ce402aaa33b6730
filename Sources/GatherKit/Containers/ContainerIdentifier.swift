// The identifier of a container.
// SPDX-License-Identifier: Apache-2.0

/// The identifier of a container: a plain word, or a reversed domain such as `org.example.notes`.
///
/// ```swift
/// let scope = SearchScope.documents(ofContainer: "org.example.notes")
/// ```
public struct ContainerIdentifier: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The text of the identifier.
    public let rawValue: String

    /// Makes an identifier from its text. Only the daemon knows whether such a container exists.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes an identifier from its text.
    public init(_ text: String) { self.init(rawValue: text) }

    /// Makes an identifier from a literal.
    public init(stringLiteral text: String) { self.init(rawValue: text) }

    /// The text of the identifier.
    public var description: String { rawValue }

    /// Returns whether the text of `a` comes before that of `b`.
    public static func < (a: ContainerIdentifier, b: ContainerIdentifier) -> Bool { a.rawValue < b.rawValue }
}

extension [ContainerIdentifier] {
    /// Makes identifiers from the field `inexact` of a reply.
    init(inexact: [String]?) { self = (inexact ?? []).map { ContainerIdentifier($0) } }
}
