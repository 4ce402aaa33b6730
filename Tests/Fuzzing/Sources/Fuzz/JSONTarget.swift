// The JSON reader: skipping and reading agree on what is JSON, and written text reads back the same.
// SPDX-License-Identifier: Apache-2.0

import Varlink

enum JSONTarget: FuzzTarget {
    static func test(_ bytes: UnsafeRawBufferPointer) {
        let isValid = (try? JSONReader.read(bytes) { (reader) throws(JSONError) in try reader.skipValue() }) != nil
        let first: [UInt8]
        do throws(JSONError) {
            first = try copy(bytes)
        } catch {
            expect((0...bytes.count).contains(error.position), "the error lies outside of the text: \(error)")
            // A number that is well formed may still be too large for its type.
            expect(!isValid || error.reason.isOfANumber, "skipped but not read: \(error)")
            return
        }
        expect(isValid, "read but not skipped")
        first.withUnsafeBytes { written in
            guard let second = try? copy(written) else { fatalError("what was written cannot be read") }
            expect(first == second, "\(String(decoding: first, as: UTF8.self)) is written otherwise")
        }
    }

    private static func copy(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        try JSONReader.read(bytes) { (reader) throws(JSONError) in try copy(&reader, to: &writer) }
        return writer.takeBytes().array
    }

    /// Copies a value through the reader's typed calls. The reader bounds how deep this goes.
    private static func copy(_ reader: inout JSONReader, to writer: inout JSONWriter) throws(JSONError) {
        switch try reader.peek() {
        case .null:
            try reader.readNull()
            writer.null()
        case .boolean: writer.bool(try reader.readBool())
        case .number where try reader.nextNumberIsInteger(): writer.integer(try reader.readInteger())
        case .number: writer.number(try reader.readDouble())
        case .string: writer.string(try reader.readString())
        case .array:
            try reader.beginArray()
            writer.beginArray()
            while try reader.nextElement() { try copy(&reader, to: &writer) }
            writer.endArray()
        case .object:
            try reader.beginObject()
            writer.beginObject()
            while try reader.nextKey() {
                writer.key(escaping: reader.key)
                try copy(&reader, to: &writer)
            }
            writer.endObject()
        }
    }
}

extension JSONError.Reason {
    fileprivate var isOfANumber: Bool { if case .numberOutOfRange = self { true } else { false } }
}
