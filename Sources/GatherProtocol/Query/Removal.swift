// io.gatherd.Query.Removal as it travels.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An item that matched and no longer does, or is gone, with the path it had last.
package struct Removal: JSONMessage, Hashable {
    package var id: String
    package var path: String
    package var rawPath: String?

    /// The message from its fields.
    package init(id: String, path: String, rawPath: String? = nil) {
        self.id = id
        self.path = path
        self.rawPath = rawPath
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var id: String?
        var path: String?
        var rawPath: String?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("id") {
                id = try reader.readString()
            } else if reader.keyIs("path") {
                path = try reader.readString()
            } else if reader.keyIs("rawPath") {
                rawPath = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard let id else { throw JSONError(.missingField("id"), at: start) }
        guard let path else { throw JSONError(.missingField("path"), at: start) }
        self.id = id
        self.path = path
        self.rawPath = rawPath
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", id)
        writer.field("path", path)
        writer.field("rawPath", rawPath)
        writer.endObject()
    }
}
