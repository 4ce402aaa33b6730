// io.gatherd.Service.Metric as it travels.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// One measured value.
package struct Metric: JSONMessage, Hashable {
    package var name: String
    package var help: String
    package var unit: String
    package var value: Double

    /// The message from its fields.
    package init(name: String, help: String, unit: String, value: Double) {
        self.name = name
        self.help = help
        self.unit = unit
        self.value = value
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var name: String?
        var help: String?
        var unit: String?
        var value: Double?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("name") {
                name = try reader.readString()
            } else if reader.keyIs("help") {
                help = try reader.readString()
            } else if reader.keyIs("unit") {
                unit = try reader.readString()
            } else if reader.keyIs("value") {
                value = try reader.readDouble()
            } else {
                try reader.skipValue()
            }
        }
        guard let name else { throw JSONError(.missingField("name"), at: start) }
        guard let help else { throw JSONError(.missingField("help"), at: start) }
        guard let unit else { throw JSONError(.missingField("unit"), at: start) }
        guard let value else { throw JSONError(.missingField("value"), at: start) }
        self.name = name
        self.help = help
        self.unit = unit
        self.value = value
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", name)
        writer.field("help", help)
        writer.field("unit", unit)
        writer.field("value", value)
        writer.endObject()
    }
}
