// io.gatherd.Query.ValueCount as it travels.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// How often one value occurs.
package struct ValueCount: JSONMessage, Hashable {
    package var text: String?
    package var integer: Int64?
    package var number: Double?
    package var flag: Bool?
    package var count: Int64

    /// The message from its fields.
    package init(text: String? = nil, integer: Int64? = nil, number: Double? = nil, flag: Bool? = nil, count: Int64) {
        self.text = text
        self.integer = integer
        self.number = number
        self.flag = flag
        self.count = count
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var text: String?
        var integer: Int64?
        var number: Double?
        var flag: Bool?
        var count: Int64?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("text") {
                text = try reader.readString()
            } else if reader.keyIs("integer") {
                integer = try reader.readInteger()
            } else if reader.keyIs("number") {
                number = try reader.readDouble()
            } else if reader.keyIs("flag") {
                flag = try reader.readBool()
            } else if reader.keyIs("count") {
                count = try reader.readInteger()
            } else {
                try reader.skipValue()
            }
        }
        guard let count else { throw JSONError(.missingField("count"), at: start) }
        self.text = text
        self.integer = integer
        self.number = number
        self.flag = flag
        self.count = count
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("text", text)
        writer.field("integer", integer)
        writer.field("number", number)
        writer.field("flag", flag)
        writer.field("count", count)
        writer.endObject()
    }
}
