// Reads the fixtures that lie beside the tests.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import PredicateLanguage
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

/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
