// Reader and writer against Python's json module, on random values and on broken texts.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Varlink

private let seeds: [UInt64] = [1, 2, 3]

private struct RandomJSON {
    var generator: SeededGenerator

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    mutating func string() -> String {
        var scalars = String.UnicodeScalarView()
        // Long ones are scanned in larger steps.
        for _ in 0..<below(below(4) == 0 ? 300 : 20) {
            let bound: UInt32 = [0x80, 0x80, 0x80, 0x800, 0x10000, 0x110000][below(6)]
            scalars.append(Unicode.Scalar(UInt32.random(in: 0..<bound, using: &generator)) ?? "?")
        }
        return String(scalars)
    }

    mutating func value(into writer: inout JSONWriter, depth: Int) {
        switch below(depth > 0 ? 8 : 6) {
        case 0: writer.null()
        case 1: writer.bool(below(2) == 0)
        case 2: writer.integer(Int64.random(in: .min ... .max, using: &generator) >> Int64(below(64)))
        case 3: writer.number(Double(bitPattern: UInt64.random(in: 0 ... .max, using: &generator)))
        case 4, 5: writer.string(string())
        case 6:
            writer.beginArray()
            for _ in 0..<below(5) { value(into: &writer, depth: depth - 1) }
            writer.endArray()
        default:
            writer.beginObject()
            for _ in 0..<below(5) {
                writer.key(escaping: string())
                value(into: &writer, depth: depth - 1)
            }
            writer.endObject()
        }
    }
}

/// Copies a value through the reader's typed calls into a writer.
private func copy(_ reader: inout JSONReader, to writer: inout JSONWriter) throws(JSONError) {
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

@Suite struct JSONRandomTests {
    /// Writer to Python, Python in its own spelling back to the reader: nothing changes on the way.
    @Test(.enabled(if: Python.isAvailable), arguments: seeds)
    func roundTrip(seed: UInt64) throws {
        var random = RandomJSON(generator: SeededGenerator(seed: seed))
        let texts = (0..<400).map { _ in JSONBytes { random.value(into: &$0, depth: 5) } }
        let script = """
            import sys, json
            for i, line in enumerate(sys.stdin):
                value = json.loads(bytes.fromhex(line.strip()).decode('utf-8'))
                text = json.dumps(value, ensure_ascii=i % 2 == 0, indent=[None, 1][i % 3 == 0])
                print(text.encode('utf-8').hex(), json.dumps(value, ensure_ascii=False, sort_keys=True).encode('utf-8').hex())
            """
        let answers = try Python.run(script, lines: texts.map { hexadecimal($0.array) })
        try #require(answers.count == texts.count)
        // Read Python's spelling, write it again, and let Python say that it is still the same value.
        var copies: [String] = []
        for answer in answers {
            let parts = answer.split(separator: " ")
            let bytes = JSONBytes(bytes(fromHexadecimal: String(parts[0])))
            copies.append(
                hexadecimal(
                    try bytes.read { (reader) throws(JSONError) in
                        var writer = JSONWriter()
                        try copy(&reader, to: &writer)
                        return writer.takeBytes().array
                    }))
        }
        let again = try Python.run(script, lines: copies)
        for index in answers.indices {
            #expect(
                again[index].split(separator: " ").last == answers[index].split(separator: " ").last,
                "seed \(seed), text \(index): \(texts[index].text)")
        }
    }

    /// Texts that a few random edits have damaged, or not: the reader accepts what Python accepts, no more.
    @Test(.enabled(if: Python.isAvailable), arguments: seeds)
    func damagedTexts(seed: UInt64) throws {
        var random = RandomJSON(generator: SeededGenerator(seed: seed))
        let pool =
            Array(#"{}[]:,"\0123456789.-+eEtrufalsn bu/dD8cC"#.utf8) + [
                0x00, 0x09, 0x0A, 0x1F, 0x80, 0xC3, 0xA9, 0xED, 0xFF,
            ]
        let texts = (0..<4000).map { _ in
            var bytes = JSONBytes { random.value(into: &$0, depth: 3) }.array
            for _ in 0..<random.below(3) {
                let index = random.below(bytes.count + 1)
                switch random.below(3) {
                case 0: bytes.insert(pool[random.below(pool.count)], at: index)
                case 1 where index < bytes.count: bytes.remove(at: index)
                case 2 where index < bytes.count: bytes[index] = pool[random.below(pool.count)]
                default: break
                }
            }
            return bytes
        }
        // Beside its own rules: neither NaN nor Infinity, no lone surrogates.
        let script = """
            import sys, json
            def refuse(x): raise ValueError(x)
            for line in sys.stdin:
                try:
                    value = json.loads(bytes.fromhex(line.strip()).decode('utf-8'), parse_constant=refuse)
                    json.dumps(value, ensure_ascii=False).encode('utf-8')
                    print(1)
                except ValueError:
                    print(0)
            """
        let answers = try Python.run(script, lines: texts.map { hexadecimal($0) })
        try #require(answers.count == texts.count)
        #expect(answers.contains("0") && answers.contains("1"))
        for (text, answer) in zip(texts, answers) {
            let accepted = (try? JSONBytes(text).read { (reader) throws(JSONError) in try reader.skipValue() }) != nil
            #expect(
                accepted == (answer == "1"),
                "seed \(seed): \(String(decoding: text, as: UTF8.self))")
        }
    }

    private func bytes(fromHexadecimal text: String) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
    }
}
