// JSON as a tree of values, to compare what was received with what was meant, whatever its spelling.
// SPDX-License-Identifier: Apache-2.0

import Varlink

/// A JSON value. Numbers are equal whatever their spelling (`1`, `1.0`), and a member that is null is as one that is not
/// there, as Varlink has it.
indirect enum JSONValue: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(_ bytes: JSONBytes) throws(JSONError) {
        self = try bytes.read { (reader) throws(JSONError) in try JSONValue(&reader) }
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .null:
            try reader.readNull()
            self = .null
        case .boolean: self = .bool(try reader.readBool())
        case .number: self = .number(try reader.readDouble())
        case .string: self = .string(try reader.readString())
        case .array:
            self = .array(try reader.readArray { (reader) throws(JSONError) in try JSONValue(&reader) })
        case .object:
            var members: [String: JSONValue] = [:]
            try reader.beginObject()
            while try reader.nextKey() {
                let key = reader.key
                let value = try JSONValue(&reader)
                members[key] = value == .null ? nil : value
            }
            self = .object(members)
        }
    }

    /// The member with this name of an object.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// This object with the members of another one as well.
    func merging(_ other: JSONValue) -> JSONValue {
        guard case .object(let members) = self, case .object(let others) = other else { return self }
        return .object(members.merging(others) { _, other in other })
    }

    /// This object without the member with this name.
    func removing(_ name: String) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members[name] = nil
        return .object(members)
    }

    /// As it is written, members in the order of their names.
    var bytes: JSONBytes { JSONBytes { writer in write(to: &writer) } }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value):
            if let integer = Int64(exactly: value) { writer.integer(integer) } else { writer.number(value) }
        case .string(let value): writer.string(value)
        case .array(let values):
            writer.beginArray()
            for value in values { value.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.key(escaping: name)
                value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}
