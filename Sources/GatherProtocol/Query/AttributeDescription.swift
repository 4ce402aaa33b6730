// io.gatherd.Query.Attribute as it travels.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An attribute, described.
package struct AttributeDescription: JSONMessage, Hashable {
    package var name: String
    package var type: String
    package var aliases: [String]
    package var description: String

    /// The message from its fields.
    package init(name: String, type: String, aliases: [String], description: String) {
        self.name = name
        self.type = type
        self.aliases = aliases
        self.description = description
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var name: String?
        var type: String?
        var aliases: [String]?
        var description: String?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("name") {
                name = try reader.readString()
            } else if reader.keyIs("type") {
                type = try reader.readString()
            } else if reader.keyIs("aliases") {
                aliases = try reader.readStrings()
            } else if reader.keyIs("description") {
                description = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard let name else { throw JSONError(.missingField("name"), at: start) }
        guard let type else { throw JSONError(.missingField("type"), at: start) }
        guard let aliases else { throw JSONError(.missingField("aliases"), at: start) }
        guard let description else { throw JSONError(.missingField("description"), at: start) }
        self.name = name
        self.type = type
        self.aliases = aliases
        self.description = description
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", name)
        writer.field("type", type)
        writer.field("aliases", aliases)
        writer.field("description", description)
        writer.endObject()
    }
}
