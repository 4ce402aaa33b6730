// Zone files and texts, compared with the C library.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Metadata

struct ZoneRulesTests {
    private static let directory = "/usr/share/zoneinfo"

    /// The zones of the database, and texts of tzset(3).
    private static var zones: [String] {
        let table = (try? String(contentsOfFile: directory + "/zone1970.tab", encoding: .utf8)) ?? ""
        let listed = table.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: "\t").dropFirst(2).first.map(String.init) }
        return listed + ["UTC", "EST5EDT", "Etc/GMT+12"] + texts
    }

    private static let texts = [
        "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "<+0330>-3:30", "NZST-12NZDT,M9.5.0,M4.1.0/3",
        "IST-2IDT,M3.4.4/26,M10.5.0", "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "AAA-5:30:15", "EST5EDT4,J60,J300",
        "EST5EDT,59/1,300/2:30", "EST5EDT",
    ]

    /// The C library has one zone at a time, so it is asked in a process of its own.
    @Test(.enabled(if: access("/usr/share/zoneinfo/zone1970.tab", R_OK) == 0, "needs tzdata"))
    func offsetsAreThoseOfTheCLibrary() async {
        await #expect(processExitsWith: .success) {
            let zones = ZoneRulesTests.zones
            try #require(zones.count > 200)
            var generator = SeededGenerator(seed: 34)
            // 1850 to 2150, and times near the changes of a few years.
            let moments =
                (0..<600).map { _ in Int64.random(in: -3_786_912_000...5_680_281_600, using: &generator) }
                + stride(from: Int64(1_672_531_200), to: 1_704_067_200, by: 86_400 / 4)
            for name in zones {
                let file = FileManager.default.contents(atPath: ZoneRulesTests.directory + "/" + name)
                let rules = try #require(
                    file.flatMap { ZoneRules(file: Array($0)) } ?? ZoneRules(text: name), "\(name)")
                setenv("TZ", name, 1)
                let zone = LocalZone(rules)
                // For a text, the C library takes the days of 1970 in all earlier years.
                let first = file == nil ? 31_536_000 : Int64.min
                for moment in moments
                where moment >= first && zone.local(at: moment) != LocalZone.process.local(at: moment) {
                    Issue.record(
                        "\(name), \(moment): \(zone.local(at: moment)), C: \(LocalZone.process.local(at: moment))")
                    return
                }
            }
        }
    }

    @Test func oneSeasonMayLastAllYear() throws {
        let rules = try #require(ZoneRules(text: "XXX3EDT4,0/0,J365/23"))
        for moment in stride(from: Int64(0), to: 4_102_444_800, by: 604_800) {
            #expect(rules.offset(at: moment) == -14_400)
        }
    }

    @Test(arguments: [
        "", ":", "UTC", "Europe/Berlin", "A1", "ABC", "ABC25", "ABC1:60", "ABC1DEF,", "ABC1DEF,M13.1.0,M1.1.0",
        "ABC1DEF,M1.6.0,M1.1.0", "ABC1DEF,M1.1.7,M1.1.0", "ABC1DEF,J0,J1", "ABC1DEF,366,1", "ABC1DEF,1/168,2",
        "ABC1DEF,1,2,3", "ABC1DEF,1,2 ", "<AB>1", "<ABC1", "/etc/passwd", "ABC99999999999999999999",
    ])
    func otherTextsAreNoRules(_ text: String) { #expect(ZoneRules(text: text) == nil) }

    @Test func damagedFilesAreNoRules() throws {
        let path = ZoneRulesTests.directory + "/Europe/Berlin"
        guard let file = FileManager.default.contents(atPath: path).map(Array.init) else { return }
        #expect(ZoneRules(file: file) != nil)
        #expect(ZoneRules(file: []) == nil && ZoneRules(file: Array("TZif2".utf8)) == nil)
        for length in 0..<file.count - 40 { #expect(ZoneRules(file: Array(file.prefix(length))) == nil, "\(length)") }
        // No damage traps.
        var generator = SeededGenerator(seed: 35)
        for _ in 0..<2_000 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                damaged[Int.random(in: 0..<file.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if let rules = ZoneRules(file: damaged) {
                let zone = LocalZone(rules)
                for moment in [Int64(-1 << 40), -1, 0, 1_700_000_000, 1 << 40] { _ = zone.first(ofLocal: moment) }
            }
        }
    }

    @Test func equalRulesAreEqualByAnyName() throws {
        let texts = ["CET-1CEST,M3.5.0,M10.5.0/3", "EET-2EEST,M3.5.0/3,M10.5.0/4"]
        let zones = try texts.map { LocalZone(try #require(ZoneRules(text: $0))) }
        #expect(zones[0] == LocalZone(try #require(ZoneRules(text: texts[0]))))
        #expect(zones[0] != zones[1] && zones[0].fingerprint != zones[1].fingerprint)
        #expect(zones[0] != .process)
    }
}
