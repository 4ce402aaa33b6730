// Records of extended attributes: attributes that go in come out, and nothing that is none is taken for one.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@Suite struct ExtraAttributesTests {
    private func record(_ attributes: [String: String]) -> ExtraAttributes {
        ExtraAttributes(attributes.map { (Array($0.key.utf8), Array($0.value.utf8)) })
    }

    private func value(_ xattrs: ExtraAttributes, _ name: String) throws -> MetadataValue {
        xattrs.value(of: try #require(Attribute(name: name)))
    }

    @Test func `Values come in the types of their attributes`() throws {
        let xattrs = record([
            "xdg.tags": "red, blue,,red", "xdg.comment": "Caf\u{E9}", "baloo.rating": " 7\n",
            "xdg.origin.url": "https://a",
            "mime_type": "a/b", "com.apple:x-y": "z", "empty": "",
        ])
        #expect(try value(xattrs, "tags") == .array([.string("red"), .string("blue")]))
        #expect(
            try value(xattrs, "comment") == .string("Caf\u{E9}")
                && value(xattrs, "kMDItemFinderComment") == .string("Caf\u{E9}"))
        #expect(try value(xattrs, "rating") == .integer(7) && value(xattrs, "xattr.baloo.rating") == .string(" 7\n"))
        #expect(try value(xattrs, "whereFrom") == .string("https://a"))
        #expect(
            try value(xattrs, "xattr.mime_type") == .string("a/b")
                && value(xattrs, "xattr.com.apple:x-y") == .string("z"))
        #expect(
            try value(xattrs, "xattr.empty") == .string("")
                && value(xattrs, "xattr.xdg.tags") == .string("red, blue,,red"))
        #expect(
            try value(xattrs, "xattr.mime") == .none && value(xattrs, "target") == .none
                && value(xattrs, "name") == .none)
        #expect(xattrs.tags == ["red", "blue"] && !xattrs.isTarget && !xattrs.isEmpty)
        #expect(xattrs.names.map(\.text) == xattrs.names.map(\.text).sorted() && xattrs.names.count == 7)
        #expect(Attribute(name: "xattr.") == nil && Attribute(name: "xattr") == nil)
    }

    /// The initializer, which goes another way, is the oracle: with what has a name of its own first, and values of any size.
    @Test(arguments: 1...50) func `Written as they are read, they are the same`(seed: UInt64) {
        var random = seed &* 0x9E37_79B9_7F4A_7C15
        func next(_ bound: UInt64) -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random % bound)
        }
        var attributes: [(name: [UInt8], value: [UInt8])] = []
        for number in 0..<next(30) {
            let name = [UInt8(97 + next(26))] + Array("\(number)".utf8) + [UInt8](repeating: 120, count: next(300))
            attributes.append((name, [UInt8](repeating: UInt8(next(256)), count: next(next(2) == 0 ? 10 : 3_000))))
        }
        if next(2) == 0 { attributes.append((Array("xdg.comment".utf8), [UInt8](repeating: 1, count: next(5_000)))) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: ExtraAttributesWriter.bufferSize, alignment: 8)
        defer { buffer.deallocate() }
        var writer = ExtraAttributesWriter(in: buffer)
        let known = attributes.filter { $0.name == Array("xdg.comment".utf8) }
        let others = attributes.filter { $0.name != Array("xdg.comment".utf8) }
        for attribute in known + others.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
            attribute.name.withUnsafeBytes { name in
                writer.add(name) { room in
                    guard attribute.value.count <= room.count else { return nil }
                    room.copyBytes(from: attribute.value)
                    return attribute.value.count
                }
            }
        }
        let count = writer.finish()
        #expect(Array(buffer[..<count]) == ExtraAttributes(attributes).bytes, "seed \(seed)")
    }

    @Test(arguments: ["", "x", "1.5", "0x10", "9223372036854775808", "1 2", "\u{661}"])
    func `A value that is no integer is no rating`(text: String) {
        #expect(record(["baloo.rating": text]).value(of: .rating) == .none)
    }

    @Test func `Bounds of ratings are kept`() {
        #expect(record(["baloo.rating": "-9223372036854775808"]).value(of: .rating) == .integer(.min))
        #expect(record(["baloo.rating": "+10"]).value(of: .rating) == .integer(10))
    }

    @Test func `Bytes that are not UTF-8 are no text, but a target is told as paths are`() throws {
        let xattrs = ExtraAttributes([(Array("xdg.comment".utf8), [0x61, 0xFF]), (Array("a".utf8), [0xC3])])
        #expect(xattrs.value(of: .comment) == .none)
        #expect(try value(xattrs, "xattr.a") == .none)
        let target = ExtraAttributes(target: [0x61, 0xFF])
        #expect(
            target.value(of: .target) == .string("a\u{FFFD}") && target.isTarget && target.tags.isEmpty
                && target.names.isEmpty)
    }

    @Test func `Attributes that do not fit are missing, the known ones last`() throws {
        let xattrs = record([
            "a": String(repeating: "x", count: 3_000), "b": String(repeating: "x", count: 3_000), "c": "small",
            "xdg.comment": String(repeating: "y", count: 1_000), "xdg.tags": String(repeating: "z", count: 5_000),
        ])
        #expect(xattrs.names.map(\.text) == ["a", "c", "xdg.comment"])
        #expect(xattrs.bytes.count <= ExtraAttributes.byteLimit)
        #expect(ExtraAttributes(target: [UInt8](repeating: 97, count: 4_095)).isTarget)
    }

    @Test func `Bytes from elsewhere are taken only where they are a record`() throws {
        let seed = TestLength.seed(1)
        var generator = SeededGenerator(seed: seed)
        let good = [record([:]), record(["a": "1", "ab": "", "b": "22"]), ExtraAttributes(target: Array("../x".utf8))]
        for xattrs in good {
            #expect(xattrs.bytes.withUnsafeBytes { ExtraAttributes($0) } == xattrs)
            for end in xattrs.bytes.indices.dropFirst() {
                let part = xattrs.bytes[..<end].withUnsafeBytes { ExtraAttributes($0) }
                // A record that ends between two attributes is one with fewer of them.
                if let part { #expect(part.names.count < max(1, xattrs.names.count)) }
            }
        }
        // Unsorted, twice the same, a target beside attributes.
        for bytes in [
            [1, 0, 0, 98, 1, 0, 0, 97], [1, 0, 0, 97, 1, 0, 0, 97], [0, 0, 0, 1, 0, 0, 97], [1, 0], [1, 9, 0, 97],
        ] as [[UInt8]] {
            #expect(bytes.withUnsafeBytes { ExtraAttributes($0) } == nil, "\(bytes)")
        }
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                UInt8.random(in: 0...4, using: &generator)
            }
            guard let xattrs = bytes.withUnsafeBytes({ ExtraAttributes($0) }) else { continue }
            #expect(xattrs.bytes == bytes, "seed \(seed)")
            for attribute in Attribute.fixed { _ = xattrs.value(of: attribute) }
            for name in xattrs.names { #expect(xattrs.withValue(named: Array(name.text.utf8)) { $0 != nil }) }
        }
    }
}
