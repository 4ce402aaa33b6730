// The types of an interface description.
// SPDX-License-Identifier: Apache-2.0

/// A type as interface text declares it.
package indirect enum VarlinkType: Sendable, Hashable {
    case bool
    case int
    case float
    case string
    /// Any JSON object.
    case object
    /// A type that the interface declares under this name.
    case named(String)
    case array(VarlinkType)
    /// `[string]T`: an object with values of one type.
    case map(VarlinkType)
    /// `?T`: may be null or absent.
    case optional(VarlinkType)
    case structure([VarlinkField])
    case enumeration([String])
}

/// A field of a structure, or a parameter.
package struct VarlinkField: Sendable, Hashable {
    /// Its name.
    package var name: String
    /// Its type.
    package var type: VarlinkType
    /// The comment above it.
    package var documentation: String

    /// A field from its parts.
    package init(name: String, type: VarlinkType, documentation: String = "") {
        self.name = name
        self.type = type
        self.documentation = documentation
    }

    /// Whether it may be absent.
    package var isOptional: Bool {
        if case .optional = type { true } else { false }
    }
}
