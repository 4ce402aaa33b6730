// The names of conflict versions.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

struct ConflictNameTests {
    /// Names that Syncthing 1.19 and 1.29 wrote, with the name of the file.
    @Test(arguments: [
        ("note.txt", "note.sync-conflict-20261125-140509-ABCDEFG.txt"),
        ("a.tar.gz", "a.tar.sync-conflict-20261125-140509-ABCDEFG.gz"),
        ("Item_1", "Item_1.sync-conflict-20261125-140509-ABCDEFG"),
        (".hidden", ".sync-conflict-20261125-140509-ABCDEFG.hidden"),
        ("name.", "name.sync-conflict-20261125-140509-ABCDEFG."),
        ("..x", "..sync-conflict-20261125-140509-ABCDEFG.x"),
        ("Bröt chen.jpg", "Bröt chen.sync-conflict-20261125-140509-2345677.jpg"),
    ])
    func namesGoThereAndBack(original: String, conflict: String) throws {
        let name = try #require(ConflictName(conflict))
        #expect(String(decoding: name.original, as: UTF8.self) == original)
        #expect(name.time == "20261125-140509")
        #expect(String(decoding: name.bytes, as: UTF8.self) == conflict)
        let made = ConflictName(of: Array(original.utf8), time: name.time, device: name.device)
        #expect(made == name)
    }

    /// Names with an empty device, and those of early versions of Syncthing.
    @Test(arguments: [
        ("a.txt", "a.sync-conflict-20261125-003609-.txt"), ("a.txt", "a.sync-conflict-20261125-003609.txt"),
        ("Item_1", "Item_1.sync-conflict-20261125-003609-"), ("Item_1", "Item_1.sync-conflict-20261125-003609"),
        (".hidden", ".sync-conflict-20261125-003609-.hidden"), (".hidden", ".sync-conflict-20261125-003609.hidden"),
        ("name.", "name.sync-conflict-20261125-003609-."), ("a.tar.gz", "a.tar.sync-conflict-20261125-003609.gz"),
        ("n.txt", "n.sync-conflict-20260101-000000.sync-conflict-20260102-000000-.txt"),
    ])
    func namesWithoutADeviceAreVersions(original: String, conflict: String) throws {
        let name = try #require(ConflictName(conflict))
        #expect(String(decoding: name.original, as: UTF8.self) == original)
        #expect(name.device == "" && name.time.hasSuffix(conflict.contains("20260102") ? "-000000" : "-003609"))
        #expect(String(decoding: name.bytes, as: UTF8.self) == conflict)
    }

    @Test(arguments: [
        ("n.txt", "n.sync-conflict-20260101-000000-AAAAAAA.sync-conflict-20260102-000000-BBBBBBB.txt"),
        ("n", "n.sync-conflict-20260101-000000-AAAAAAA.sync-conflict-20260102-000000-BBBBBBB"),
        ("n.txt", "n.sync-conflict-20260101-000000-AAAAAAA.txt.sync-conflict-20260102-000000-BBBBBBB"),
        (".n", ".sync-conflict-20260101-000000-.sync-conflict-20260101-000000.sync-conflict-20260102-000000-BBBBBBB.n"),
        // Without the inner version there is no name.
        (
            ".sync-conflict-20260101-000000-AAAAAAA",
            ".sync-conflict-20260101-000000-AAAAAAA.sync-conflict-20260102-000000-BBBBBBB"
        ),
    ])
    func aVersionOfAVersionBelongsToTheFile(original: String, version: String) throws {
        let name = try #require(ConflictName(version))
        #expect(String(decoding: name.original, as: UTF8.self) == original)
        #expect(name.device == "BBBBBBB" && name.time == "20260102-000000")
        #expect(ConflictName(name.original) == nil)
        #expect(String(decoding: name.bytes, as: UTF8.self) == version)
        let made = ConflictName(of: name.bytes, time: "20260103-000000", device: "CCCCCCC")
        #expect(made == ConflictName(of: name.original, time: "20260103-000000", device: "CCCCCCC"))
    }

    @Test func onlyDaysOfTheCalendarAreDates() throws {
        let days = [1: 31, 2: 28, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31]
        func digits(_ number: Int, _ count: Int = 2) -> String {
            String(repeating: "0", count: count - "\(number)".count) + "\(number)"
        }
        for (year, leap) in [(2026, 0), (2024, 1), (2000, 1), (1900, 0), (2100, 0), (2400, 1), (2028, 1)] {
            for month in 0...13 {
                let last = (days[month] ?? 0) + (month == 2 ? leap : 0)
                for day in 0...32 {
                    let name = "n.sync-conflict-\(digits(year, 4))\(digits(month))\(digits(day))-120000-ABCDEFG.txt"
                    #expect((ConflictName(name) != nil) == (1...max(1, last) ~= day && last > 0), "\(name)")
                }
            }
        }
    }

    @Test(arguments: [
        "", ".", "note.txt", "note.sync-conflict-.txt", ".sync-conflict-20261125-140509-ABCDEFG",
        "note.sync-conflict-20261125-140509-ABCDEF.txt", "note.sync-conflict-20261125-140509-ABCDEFGH.txt",
        "note.sync-conflict-20261125-140509-abcdefg.txt", "note.sync-conflict-20261125-140509-ABCDEF1.txt",
        "note.sync-conflict-20261325-140509-ABCDEFG.txt", "note.sync-conflict-20261100-140509-ABCDEFG.txt",
        "note.sync-conflict-20261125-240509-ABCDEFG.txt", "note.sync-conflict-20261125-146009-ABCDEFG.txt",
        "note.sync-conflict-20261125 140509-ABCDEFG.txt", "note.sync-conflict-20261125-140509-ABCDEFG.tar.gz",
        ".sync-conflict-20261125-140509-ABCDEFG.", "..sync-conflict-20261125-140509-ABCDEFG.",
        "..sync-conflict-20261125-140509-ABCDEFG",
        "note-sync-conflict-20261125-140509-ABCDEFG.txt", "note.sync-conflict-20261125-140509-ABCDEFGtxt",
        "note.sync-conflict-20261125-140509-ABCDEFG~", "note.sync-conflict-20261125-140509--.txt",
        "note.sync-conflict-20261125-14050.txt", "note.sync-conflict-20261125-140509A.txt",
        ".sync-conflict-20261125-140509", ".sync-conflict-20261125-140509-.", "..sync-conflict-20261125-140509",
    ])
    func otherNamesAreNoVersions(_ name: String) { #expect(ConflictName(name) == nil) }

    @Test func onlyNamesThatFitAreMade() {
        func make(_ name: [UInt8], time: String = "20261125-140509", device: String = "ABCDEFG") -> ConflictName? {
            ConflictName(of: name, time: time, device: device)
        }
        let longest = [UInt8](repeating: UInt8(ascii: "x"), count: ConflictName.longestOriginal)
        #expect(ConflictName.longestOriginal == 217)
        #expect(make(longest)?.bytes.count == 255)
        #expect(make(longest + [120]) == nil)
        #expect(make([]) == nil)
        #expect(make(Array(".".utf8)) == nil)
        #expect(make(Array("..".utf8)) == nil)
        #expect(make(Array("a/b".utf8)) == nil)
        #expect(make([97, 0]) == nil)
        #expect(make([97], time: "20261125-1405") == nil)
        #expect(make([97], device: "abcdefg") == nil)
        #expect(make([97], device: "") == nil)
        #expect(make([0xFF, 0x2E, 0xFE])?.bytes.first == 0xFF)
    }

    /// Beside a second way to take names apart: a regular expression.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func aRegularExpressionFindsTheSame(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = [".", "a", ".sync-conflict-", "20261125", "-", "140509", "ABCDEFG", ".txt", "x.", "-ABCDEFG"]
        let form = try Regex(
            #"(?s)(.*)\.sync-conflict-\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d|60)(?:-(?:[A-Z2-7]{7})?)?(\.[^.]*)?"#
        )
        for _ in 0..<500 {
            var name = (0..<Int.random(in: 0...9, using: &random)).map { _ in parts.randomElement(using: &random)! }
                .joined()
            if Bool.random(using: &random) { name = "n.sync-conflict-20261125-140509-ABCDEFG" + name }
            var expected: String?
            // A version of a version belongs to the file.
            while let match = (expected ?? name).wholeMatch(of: form) {
                let original = "\(match[1].substring ?? "")\(match[2].substring ?? "")"
                if ["", ".", ".."].contains(original) { break }
                expected = original
            }
            let found = ConflictName(name).map { String(decoding: $0.original, as: UTF8.self) }
            #expect(found == expected, "\(name)")
        }
    }
}
