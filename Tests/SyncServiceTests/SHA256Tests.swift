// SHA-256 against known vectors and another program.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import SyncService

struct SHA256Tests {
    private static func text(_ bytes: [UInt8]) -> String {
        bytes.map { (["0", ""][$0 > 15 ? 1 : 0]) + String($0, radix: 16) }.joined()
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }

    /// FIPS 180-4 and the vectors of NIST.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func knownVectors(text: String, hash: String) {
        #expect(Self.text(Self.hash(Array(text.utf8))) == hash)
    }

    @Test func allLengthsAroundABlockInPiecesAreAsSha256sumHasThem() async throws {
        let directory = NSTemporaryDirectory() + "gather-hash-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let lengths = Array(0...200) + [1000, 4096, 65_537]
        for length in lengths {
            try Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(
                to: URL(filePath: "\(directory)/\(length)"))
        }
        let paths = lengths.map { "\(directory)/\($0)" }
        let result = await ChildProcess(path: "/usr/bin/sha256sum", paths).result()
        let expected = result.lines.map { String($0.prefix(64)) }
        try #require(expected.count == lengths.count)
        for (length, expected) in zip(lengths, expected) {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(Self.text(Self.hash(bytes)) == expected, "\(length)")
            for piece in [1, 63, 64, 65] {
                var hash = SHA256()
                for start in stride(from: 0, to: length, by: piece) {
                    bytes[start..<min(length, start + piece)].withUnsafeBytes { hash.update($0) }
                }
                #expect(Self.text(hash.finish()) == expected, "\(length) in pieces of \(piece)")
            }
        }
    }
}
