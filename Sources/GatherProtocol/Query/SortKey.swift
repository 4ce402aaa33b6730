// io.gatherd.Query.SortKey as it travels.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// What results are sorted by.
package struct SortKey: JSONMessage, Hashable {
    package var attribute: String
    package var ascending: Bool

    /// The message from its fields.
    package init(attribute: String, ascending: Bool) {
        self.attribute = attribute
        self.ascending = ascending
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var attribute: String?
        var ascending: Bool?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("attribute") {
                attribute = try reader.readString()
            } else if reader.keyIs("ascending") {
                ascending = try reader.readBool()
            } else {
                try reader.skipValue()
            }
        }
        guard let attribute else { throw JSONError(.missingField("attribute"), at: start) }
        guard let ascending else { throw JSONError(.missingField("ascending"), at: start) }
        self.attribute = attribute
        self.ascending = ascending
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("attribute", attribute)
        writer.field("ascending", ascending)
        writer.endObject()
    }
}
