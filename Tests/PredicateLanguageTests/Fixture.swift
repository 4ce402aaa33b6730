// Reads the fixtures that lie beside the tests.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import PredicateLanguage
import TestSupport
import Testing

/// A file of JSON objects, one a line, in `Fixtures`.
enum Fixture {
    static func objects(_ name: String) throws -> [[String: MetadataValue]] {
        let path = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Fixtures/" + name
        let file = try #require(fopen(path, "r"), "\(path)")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return try bytes.split(separator: UInt8(ascii: "\n")).map { line in
            guard case .dictionary(let members) = try ObjectReader.value(of: String(decoding: line, as: UTF8.self))
            else { throw NotAnObject() }
            return members
        }
    }

    struct NotAnObject: Error {}
}

extension MetadataValue {
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var elements: [MetadataValue] { if case .array(let elements) = self { elements } else { [] } }
}
