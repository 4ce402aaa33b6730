// JSON objects, one on each line, for programs that read the output of a command.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

/// A JSON object, built field by field.
package struct JSONLine: ~Copyable {
    private var writer = JSONWriter()

    /// Makes an object without fields.
    package init() { writer.beginObject() }

    /// Adds a string, or null.
    package mutating func add(_ name: StaticString, _ value: String?) { writer.field(name, value) }
    /// Adds an integer.
    package mutating func add(_ name: StaticString, _ value: Int) { writer.field(name, Int64(value)) }
    /// Adds an integer without sign.
    package mutating func add(_ name: StaticString, _ value: UInt64) {
        writer.key(name)
        writer.unsigned(value)
    }
    /// Adds a number with a fraction.
    package mutating func add(_ name: StaticString, _ value: Double) { writer.field(name, value) }
    /// Adds an object.
    package mutating func add(_ name: StaticString, object: [UInt8]) {
        writer.key(name)
        object.withUnsafeBytes { writer.raw($0) }
    }
    /// Adds an object with text values.
    package mutating func add(_ name: StaticString, texts: [(name: String, value: String)]) {
        writer.key(name)
        writer.beginObject()
        for (name, value) in texts {
            writer.key(escaping: name)
            writer.string(value)
        }
        writer.endObject()
    }
    /// Adds a Boolean.
    package mutating func add(_ name: StaticString, _ value: Bool) { writer.field(name, value) }
    /// Adds a list of strings.
    package mutating func add(_ name: StaticString, _ values: [String]) { writer.field(name, values) }
    /// Adds bytes as text, with U+FFFD for invalid UTF-8. In that case another field has them as Base64.
    package mutating func add(_ name: StaticString, raw: StaticString, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes {
            writer.key(name)
            if writer.string(replacingInvalid: $0) { return }
            writer.key(raw)
            writer.base64($0)
        }
    }

    /// Adds an item with these attributes at most, and with its former path if it moved.
    package mutating func add(_ name: StaticString, _ item: MetadataItem, attributes: [Attribute]) {
        writer.key(name)
        item.write(attributes, to: &writer)
    }

    /// Adds a list of objects.
    package mutating func add(_ name: StaticString, _ lines: [[UInt8]]) {
        writer.key(name)
        writer.beginArray()
        for line in lines { line.withUnsafeBytes { writer.raw($0) } }
        writer.endArray()
    }

    /// Returns the text of the object.
    package consuming func bytes() -> [UInt8] {
        writer.endObject()
        return writer.withUnsafeBytes { Array($0) }
    }
}

extension MetadataItem {
    /// Returns the item as JSON with all attributes that it has.
    package var json: [UInt8] {
        // The object came without blanks, so a number below zero stands behind these two bytes. Most items have none.
        let wire = wireBytes
        let hasNegative = wire.indices.dropLast().contains {
            wire[$0] == UInt8(ascii: ":") && wire[$0 + 1] == UInt8(ascii: "-")
        }
        guard hasNegative else { return wire }
        var writer = JSONWriter()
        writer.beginObject()
        copyFields(to: &writer) { _ in true }
        writer.endObject()
        return writer.withUnsafeBytes { Array($0) }
    }

    /// Returns the item as JSON with these attributes at most.
    package func json(_ attributes: [Attribute]) -> [UInt8] {
        var writer = JSONWriter()
        write(attributes, to: &writer)
        return writer.withUnsafeBytes { Array($0) }
    }

    fileprivate func write(_ attributes: [Attribute], to writer: inout JSONWriter) {
        var wanted = Set(attributes.map(\.fieldName.description)).union(["previousPath", "rawPreviousPath"])
        if attributes.contains(.name) { wanted.insert("rawName") }
        if attributes.contains(.path) { wanted.insert("rawPath") }
        if attributes.contains(.conflictOf) { wanted.insert("rawConflictOf") }
        writer.beginObject()
        writer.field("id", id.rawValue)
        copyFields(to: &writer) { $0 != "id" && $0 != "extended" && wanted.contains($0) }
        if wanted.contains("extended") { writeExtended(attributes, to: &writer) }
        writer.endObject()
    }

    /// Copies the fields that are wanted, so that each value has the daemon's form. Only numbers without sign have another one,
    /// since Varlink's integers have a sign.
    private func copyFields(to writer: inout JSONWriter, where isWanted: (String) -> Bool) {
        wireBytes.withUnsafeBytes { bytes in
            // An item is always an object, so this cannot fail.
            try? JSONReader.read(bytes) { (reader) throws(JSONError) in
                try reader.beginObject()
                while try reader.nextKey() {
                    let key = reader.key
                    let value = try reader.skipValue()
                    guard isWanted(key) else { continue }
                    writer.key(escaping: key)
                    if let number = unsigned(key) {
                        writer.unsigned(number)
                    } else {
                        writer.raw(UnsafeRawBufferPointer(rebasing: bytes[value]))
                    }
                }
            }
        }
    }

    private func unsigned(_ key: String) -> UInt64? {
        switch key {
        case Attribute.inode.name: inode
        case Attribute.device.name: device
        default: nil
        }
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
