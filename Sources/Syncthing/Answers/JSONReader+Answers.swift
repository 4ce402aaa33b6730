// Reading the answers of Syncthing's REST interface.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

extension JSONReader {
    /// Reads an object. Passes each field with a value other than null to `body`, which must consume the value.
    mutating func readFields(_ body: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        try beginObject()
        while try nextKey() {
            if try readNullIfPresent() { continue }
            try body(&self)
        }
    }

    /// Reads an array, or null for an empty one, as Go writes it.
    mutating func readList<Element>(
        _ body: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        try readNullIfPresent() ? [] : try readArray(body)
    }

    /// Reads an array of strings, or null for an empty one.
    mutating func readTexts() throws(JSONError) -> [String] {
        try readList { (reader) throws(JSONError) in try reader.readString() }
    }

    /// Reads an object with any keys, or null for an empty one.
    mutating func readMap<Value>(
        _ body: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> [String: Value] {
        if try readNullIfPresent() { return [:] }
        var values: [String: Value] = [:]
        try beginObject()
        while try nextKey() {
            let key = self.key
            values[key] = try body(&self)
        }
        return values
    }
}
