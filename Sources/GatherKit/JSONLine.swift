// JSON objects for programs that read what a command prints, one a line.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

/// One JSON object, built field by field.
package struct JSONLine: ~Copyable {
    private var writer = JSONWriter()

    /// An object without fields.
    package init() { writer.beginObject() }

    /// A string, or nothing.
    package mutating func add(_ name: StaticString, _ value: String?) { writer.field(name, value) }
    /// A number.
    package mutating func add(_ name: StaticString, _ value: Int) { writer.field(name, Int64(value)) }
    /// A number with a fraction.
    package mutating func add(_ name: StaticString, _ value: Double) { writer.field(name, value) }
    /// An object.
    package mutating func add(_ name: StaticString, object: [UInt8]) {
        writer.key(name)
        object.withUnsafeBytes { writer.raw($0) }
    }
    /// Texts by names that are data.
    package mutating func add(_ name: StaticString, texts: [(name: String, value: String)]) {
        writer.key(name)
        writer.beginObject()
        for (name, value) in texts {
            writer.key(escaping: name)
            writer.string(value)
        }
        writer.endObject()
    }
    /// A truth.
    package mutating func add(_ name: StaticString, _ value: Bool) { writer.field(name, value) }
    /// Strings.
    package mutating func add(_ name: StaticString, _ values: [String]) { writer.field(name, values) }
    /// Bytes as Base64.
    package mutating func add(_ name: StaticString, base64 bytes: [UInt8]) {
        writer.key(name)
        bytes.withUnsafeBytes { writer.base64($0) }
    }

    /// An item, with no more than these attributes, and where it came from if it moved.
    package mutating func add(_ name: StaticString, _ item: MetadataItem, attributes: [Attribute]) {
        writer.key(name)
        item.write(attributes, to: &writer)
    }

    /// Objects.
    package mutating func add(_ name: StaticString, _ lines: [[UInt8]]) {
        writer.key(name)
        writer.beginArray()
        for line in lines { line.withUnsafeBytes { writer.raw($0) } }
        writer.endArray()
    }

    /// The object's text.
    package consuming func bytes() -> [UInt8] {
        writer.endObject()
        return writer.withUnsafeBytes { Array($0) }
    }
}

extension MetadataItem {
    /// The item as JSON, with no more than these attributes.
    package func json(_ attributes: [Attribute]) -> [UInt8] {
        var writer = JSONWriter()
        write(attributes, to: &writer)
        return writer.withUnsafeBytes { Array($0) }
    }

    /// The fields as they came, so that the form of every value is the daemon's.
    fileprivate func write(_ attributes: [Attribute], to writer: inout JSONWriter) {
        var wanted = Set(attributes.map(\.fieldName.description)).union(["previousPath"])
        if attributes.contains(.name) { wanted.insert("rawName") }
        if attributes.contains(.path) { wanted.insert("rawPath") }
        writer.beginObject()
        writer.field("id", id)
        json.withUnsafeBytes { bytes in
            // What came as an item is an object, so there is nothing to report.
            try? JSONReader.read(bytes) { (reader) throws(JSONError) in
                try reader.beginObject()
                while try reader.nextKey() {
                    let key = reader.key
                    let value = try reader.skipValue()
                    guard key != "id", wanted.contains(key) else { continue }
                    if key == "extended" {
                        writeExtended(attributes, to: &writer)
                        continue
                    }
                    writer.key(escaping: key)
                    writer.raw(UnsafeRawBufferPointer(rebasing: bytes[value]))
                }
            }
        }
        writer.endObject()
    }

    private func writeExtended(_ attributes: [Attribute], to writer: inout JSONWriter) {
        let values = attributes.compactMap { attribute -> (name: String, text: String)? in
            guard case .extended(let name) = attribute, case .string(let text) = value(forAttribute: attribute) else {
                return nil
            }
            return (name.text, text)
        }
        if values.isEmpty { return }
        writer.key("extended")
        writer.beginObject()
        for value in values {
            writer.key(escaping: value.name)
            writer.string(value.text)
        }
        writer.endObject()
    }
}
