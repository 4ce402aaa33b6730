// The file format of a key-value store: exact values, and damage that is noticed.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import SaveFiles
import TestSupport
import Testing

@testable import GatherDocuments

@Suite struct KeyValueTextTests {
    /// The helper once gave the name of the store's file to one that was half written.
    @Test func aHalfWrittenFileIsNoLeftSave() throws {
        let name = Array(KeyValueFileName(device: "AAAAAAA", slot: 0).temporary.utf8)
        #expect(LeftSave.document(of: name) == nil)
        #expect(SyncthingName.isTemporary(name))
    }

    private static let values: [KeyValue] = [
        "", "plain", "\"quoted\" \\ and\nlines\u{0}\u{7F}", "Grüße 👩‍👩‍👧", .string("e\u{301}"), 0, .integer(.min),
        .integer(.max), 0.1, -0.0, .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), 1e300, true,
        false,
        .date(Timestamp(nanoseconds: .min)), .date(Timestamp(nanoseconds: .max)), .date(Timestamp(nanoseconds: -1)),
        .data([]), .data([0]), .data([0, 255]), .data([1, 2, 3]), .data(Array(0...255)), [], [:],
        ["a", 1, [true, [:]]],
        ["b": 1, "a": ["x": .data([7])], "": ""],
    ]

    private func table(_ values: [KeyValue?]) -> KeyValueTable {
        var table = KeyValueTable()
        for (number, value) in values.enumerated() {
            let stamp = KeyValueStamp(time: Int64(number), counter: 3, device: "ABCDEFG")
            table.merge(KeyValueEntry(key: "key \(number) \"ü\"\n", stamp: stamp, value: value))
        }
        return table
    }

    @Test func `Every value comes back exactly`() throws {
        let table = table(Self.values + [nil])
        let bytes = KeyValueFile(table: table, hasSeenOthers: true).bytes
        let read = try KeyValueFile(bytes)
        #expect(read.hasSeenOthers)
        #expect(read.bytes == bytes)
        #expect(read.table.entries.count == Self.values.count + 1)
        for (key, entry) in table.entries {
            let found = try #require(read.table[key])
            #expect(found.value == entry.value && found.stamp == entry.stamp && found.text == entry.text)
            #expect(found.byteCount == entry.byteCount)
        }
        // Equality takes both zeros for one.
        #expect(KeyValueText.bytes(-0.0) != KeyValueText.bytes(0.0))
    }

    @Test func aFileThatAnEditorOnWindowsSavedIsRead() throws {
        let bytes = KeyValueFile(table: table(Self.values)).bytes
        let windows = bytes.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
        for mark: [UInt8] in [[], [0xEF, 0xBB, 0xBF]] {
            #expect(try KeyValueFile(mark + bytes).bytes == bytes)
            #expect(try KeyValueFile(mark + windows).bytes == bytes)
        }
    }

    @Test func `A cut or changed file is damaged`() throws {
        let bytes = KeyValueFile(table: table(Self.values)).bytes
        for length in 0..<bytes.count {
            #expect(throws: KeyValueProblem.Reason.damaged) { try KeyValueFile(Array(bytes.prefix(length))) }
        }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var changed = bytes
            let index = Int.random(in: 0..<bytes.count, using: &random)
            changed[index] ^= UInt8.random(in: 1...255, using: &random)
            #expect(throws: KeyValueProblem.Reason.self) { try KeyValueFile(changed) }
        }
    }

    @Test func `Bytes with a right checksum are still checked`() throws {
        func file(_ body: String, version: Int = 1) -> [UInt8] {
            let body = Array(body.utf8)
            return Array("gather key-values \(version) \(body.count) \(StableHash.text(of: body))\n".utf8) + body
        }
        let head = "clock 1 2 0\n"
        #expect(try KeyValueFile(file(head)).table.entries.isEmpty)
        #expect(try KeyValueFile(file(head + "1 2 ABCDEFG \"k\" t\n")).table.dictionary == ["k": true])
        let nested = String(repeating: "[", count: KeyValueLimits.deepestNesting)
        let closing = String(repeating: "]", count: KeyValueLimits.deepestNesting)
        #expect(try KeyValueFile(file(head + "1 2 ABCDEFG \"k\" \(nested)\(closing)\n")).table.keyCount == 1)
        for line in [
            "1 2 ABCDEFG \"k\" t", "1 2 ABCDEF \"k\" t\n", "-1 2 ABCDEFG \"k\" t\n", "1 -2 ABCDEFG \"k\" t\n",
            "1 2 ABCDEFG k t\n", "1 2 ABCDEFG \"k\" x\n", "1 2 ABCDEFG \"k\" dnan\n", "1 2 ABCDEFG \"k\" dinf\n",
            "1 2 ABCDEFG \"k\" i99999999999999999999\n", "1 2 ABCDEFG \"k\" bA\n", "1 2 ABCDEFG \"k\" bAB==\n",
            "1 2 ABCDEFG \"k\" \"\\xZZ\"\n", "1 2 ABCDEFG \"k\" [t,]\n", "1 2 ABCDEFG \"k\" {\"a\":t,\"a\":f}\n",
            "1 2 ABCDEFG \"\(String(repeating: "k", count: 65))\" t\n", "999999999999999 2 ABCDEFG \"k\" t\n",
            "1 9999999999999999 ABCDEFG \"k\" t\n", "1 2 ABCDEFG \"k\" t\n1 2 ABCDEFG \"k\" t\n", "\n",
            "1 2 ABCDEFG \"k\" [\(nested)\(closing)]\n",
            "1 2 ABCDEFG \"k\" \(String(repeating: "[", count: 100_000))\n",
        ] {
            #expect(throws: KeyValueProblem.Reason.damaged, "\(line.prefix(60))") {
                try KeyValueFile(file(head + line))
            }
        }
        #expect(throws: KeyValueProblem.Reason.newerFormat(version: 2)) { try KeyValueFile(file("new", version: 2)) }
        #expect(throws: KeyValueProblem.Reason.damaged) { try KeyValueFile(file(head, version: 0)) }
    }

    @Test func `Names have one form`() {
        #expect(KeyValueFileName("ABCDEFG-0.keyvalues")?.slot == 0)
        #expect(KeyValueFileName("ABCDEFG-12.keyvalues")?.device == "ABCDEFG")
        for name in [
            "", "ABCDEFG", "ABCDEFG-", "ABCDEFG-.keyvalues", "ABCDEFG-01.keyvalues", "ABCDEFG-+1.keyvalues",
            "ABCDEFG--1.keyvalues", "ABCDEFG-256.keyvalues", "abcdefg-0.keyvalues", "ABCDEFG-0.keyvalues.tmp",
            "ABCDEFG-0.sync-conflict-20261125-140509-ABCDEFG.keyvalues",
        ] {
            #expect(KeyValueFileName(name) == nil, "\(name)")
        }
        let conflict = "ABCDEFG-3.sync-conflict-20261125-140509-BBBBBBB.keyvalues"
        #expect(KeyValueFileName.original(ofConflict: conflict)?.text == "ABCDEFG-3.keyvalues")
        #expect(KeyValueFileName.original(ofConflict: "ABCDEFG-3.keyvalues") == nil)
    }
}
