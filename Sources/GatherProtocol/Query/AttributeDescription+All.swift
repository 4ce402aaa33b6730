// The attributes of this version, as io.gatherd.Query.Attributes tells them.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata

extension AttributeDescription {
    /// Every attribute that a predicate may name, and one entry that stands for all extended attributes.
    package static var all: [AttributeDescription] {
        Attribute.fixed.map {
            AttributeDescription(
                name: $0.name, type: $0.type.rawValue, aliases: $0.aliases, description: $0.description)
        } + [
            AttributeDescription(
                name: "xattr.NAME", type: AttributeType.string.rawValue, aliases: [],
                description: "The extended attribute user.NAME, where it is text.")
        ]
    }
}
