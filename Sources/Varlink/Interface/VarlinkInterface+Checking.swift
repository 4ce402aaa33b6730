// Checks parameters against the declarations of an interface.
// SPDX-License-Identifier: Apache-2.0

extension VarlinkInterface {
    /// The first parameter that is missing, has another type than declared, or is not declared; nil when all are right.
    /// A null stands for an absent value. If a parameter is wrong somewhere inside, the parameter itself is named.
    package func invalidParameter(in parameters: JSONBytes, of method: Method) -> String? {
        invalidField(in: parameters, declaredAs: method.input)
    }

    /// Checks an object against any declared fields, such as those of a reply or an error. Used by tests.
    package func invalidField(in object: JSONBytes, declaredAs fields: [VarlinkField]) -> String? {
        var current = ""
        var invalid: String?
        do {
            try object.read { (reader) throws(JSONError) in
                invalid = try invalidField(&reader, fields, current: &current)
            }
        } catch {
            return current
        }
        return invalid
    }

    private func invalidField(
        _ reader: inout JSONReader, _ fields: [VarlinkField], current: inout String
    ) throws(JSONError) -> String? {
        var isPresent = [Bool](repeating: false, count: fields.count)
        var invalid: String?
        try reader.beginObject()
        while try reader.nextKey() {
            current = reader.key
            if let index = fields.firstIndex(where: { $0.name == current }) {
                if try reader.peek() != .null { isPresent[index] = true }
                if try conforms(&reader, to: fields[index].type) { continue }
            } else {
                try reader.skipValue()
            }
            if invalid == nil { invalid = current }
        }
        if let invalid { return invalid }
        return zip(fields, isPresent).first { field, isPresent in !isPresent && !field.isOptional }?.0.name
    }

    /// Consumes the next value and says whether it is one of `type`. The recursion is bounded by the reader's depth.
    private func conforms(_ reader: inout JSONReader, to type: VarlinkType) throws(JSONError) -> Bool {
        let found = try reader.peek()
        switch (type, found) {
        case (.optional(let type), _):
            return found == .null ? try reader.readNullIfPresent() : try conforms(&reader, to: type)
        case (.named(let name), _):
            guard let declaration = types[name] else { break }
            return try conforms(&reader, to: declaration.type)
        case (.bool, .boolean), (.string, .string), (.object, .object):
            try reader.skipValue()
            return true
        case (.int, .number):
            _ = try reader.readInteger()
            return true
        case (.float, .number):
            _ = try reader.readDouble()
            return true
        case (.enumeration(let values), .string):
            return values.contains(try reader.readString())
        case (.array(let element), .array):
            var conforms = true
            try reader.beginArray()
            while try reader.nextElement() {
                if try !self.conforms(&reader, to: element) { conforms = false }
            }
            return conforms
        case (.map(let value), .object):
            var conforms = true
            try reader.beginObject()
            while try reader.nextKey() {
                if try !self.conforms(&reader, to: value) { conforms = false }
            }
            return conforms
        case (.structure(let fields), .object):
            var current = ""
            return try invalidField(&reader, fields, current: &current) == nil
        default: break
        }
        try reader.skipValue()
        return false
    }
}
