// Reading items from JSON, also of other programs.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

extension ItemsJSON {
    /// Reads an array of objects or names, or an object with such an array, or one item.
    static func file(_ text: ArraySlice<UInt8>) throws(GroceryError) -> ImportedFile {
        let entries: [Entry]
        var file = ImportedFile()
        do throws(JSONError) {
            entries = try JSONBytes(text).read { (reader: inout JSONReader) throws(JSONError) in
                try Entry.all(&reader, &file)
            }
        } catch {
            throw GroceryError(.invalid, "the file is not a JSON array of items: \(error)")
        }
        var identifiers: [String: String] = [:]
        for (index, entry) in entries.enumerated() {
            var item = ForeignItem(place: "item \(index + 1)")
            for (key, value) in entry.fields { try item.take(key, value) }
            try item.add(to: &file, &identifiers)
        }
        return file
    }

    /// The fields of an item, in their order.
    private struct Entry {
        var fields: [(String, ForeignValue)] = []

        /// Reads the items of a whole text.
        static func all(
            _ reader: inout JSONReader, _ file: inout ImportedFile
        ) throws(JSONError) -> [Entry] {
            guard try reader.peek() == .object else { return try array(&reader) }
            let start = reader.position
            var (entry, lists) = (Entry(), [(key: String, bytes: [UInt8])]())
            try reader.beginObject()
            while try reader.nextKey() {
                let key = reader.key
                if try reader.peek() == .array, ForeignField.named(key) == nil {
                    lists.append((key, try reader.copyValue()))
                } else {
                    entry.fields.append((key, try ForeignValue(&reader)))
                }
            }
            // One of the arrays is the list if its items have names, or if the object itself can be no item. The other fields tell
            // of the list.
            let isItem = entry.fields.contains { Entry.isName($0.0) }
            let items = lists.indices.filter { index in
                !isItem && lists.count == 1 || Entry.hasNames(lists[index].bytes)
            }
            guard items.count == 1 else {
                guard isItem else { throw JSONError(.typeMismatch(expected: .array, found: .object), at: start) }
                entry.fields += lists.map { ($0.key, .other) }
                return [entry]
            }
            let list = lists.remove(at: items[0])
            for (key, value) in entry.fields where !value.isEmpty { file.leaveOut(key) }
            for (key, _) in lists { file.leaveOut(key) }
            return try array(of: list.bytes)
        }

        private static func isName(_ key: String) -> Bool { ForeignField.named(key)?.field == .name }

        /// Whether an array begins with a name, or with an object that has one.
        private static func hasNames(_ bytes: [UInt8]) -> Bool {
            guard let first = try? array(of: bytes).first else { return false }
            return first.fields.contains { isName($0.0) }
        }

        private static func array(of bytes: [UInt8]) throws(JSONError) -> [Entry] {
            try JSONBytes(bytes).read { (reader: inout JSONReader) throws(JSONError) in try array(&reader) }
        }

        private static func array(_ reader: inout JSONReader) throws(JSONError) -> [Entry] {
            try reader.readArray { (reader: inout JSONReader) throws(JSONError) in
                var entry = Entry()
                if try reader.peek() == .string {
                    entry.fields = [("name", .text(try reader.readString()))]
                } else {
                    try reader.beginObject()
                    while try reader.nextKey() { entry.fields.append((reader.key, try ForeignValue(&reader))) }
                }
                return entry
            }
        }
    }
}

extension ForeignValue {
    /// Reads a value of JSON. Null is an empty text, and a number is as it is written, but for `.0` at its end.
    init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .null:
            try reader.readNull()
            self = .text("")
        case .string: self = .text(try reader.readString())
        case .boolean: self = .bool(try reader.readBool())
        case .number:
            let number = String(decoding: try reader.copyValue(), as: UTF8.self)
            self = .text(number.hasSuffix(".0") ? String(number.dropLast(2)) : number)
        case .array:
            let values = try reader.readArray { (reader: inout JSONReader) throws(JSONError) in
                try ForeignValue(element: &reader)
            }
            let texts = values.compactMap { if case .text(let text) = $0 { text } else { nil } }
            self = texts.count == values.count ? .list(texts) : .other
        case .object:
            try reader.skipValue()
            self = .other
        }
    }

    /// Reads an element of an array. Arrays in arrays are not looked into.
    private init(element reader: inout JSONReader) throws(JSONError) {
        if try reader.peek() == .array {
            try reader.skipValue()
            self = .other
        } else {
            try self.init(&reader)
        }
    }
}
