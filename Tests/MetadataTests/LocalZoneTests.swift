// Local times of zones that change at midnight, compared with a walk over all moments.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Metadata

struct LocalZoneTests {
    private static func local(_ moment: Int64) -> Int64 {
        var seconds = time_t(moment)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return 0 }
        return Timestamp.days(
            fromYear: Int64(parts.tm_year) + 1_900, month: Int64(parts.tm_mon) + 1, day: Int64(parts.tm_mday)) * 86_400
            + Int64(parts.tm_hour) * 3_600 + Int64(parts.tm_min) * 60 + Int64(parts.tm_sec)
    }

    /// In these years, all of these zones change at whole quarters of an hour.
    private static let quarter: Int64 = 900
    private static let years =
        Timestamp.days(
            fromYear: 2011, month: 1, day: 1)...Timestamp.days(
            fromYear: 2012, month: 12, day: 31)

    /// The zones are read once by a process.
    @Test(.enabled(if: access("/usr/share/zoneinfo/Pacific/Apia", R_OK) == 0, "needs tzdata"))
    func eachLocalTimeIsTheEarliestMoment() async {
        await #expect(processExitsWith: .success) { try LocalZoneTests.check("America/Havana") }
        await #expect(processExitsWith: .success) { try LocalZoneTests.check("Asia/Beirut") }
        await #expect(processExitsWith: .success) { try LocalZoneTests.check("Pacific/Apia") }
        await #expect(processExitsWith: .success) { try LocalZoneTests.check("Australia/Lord_Howe") }
    }

    static func check(_ zone: String) throws {
        setenv("TZ", zone, 1)
        tzset()
        var earliest: [Int64: Int64] = [:]
        for moment in stride(
            from: (years.lowerBound - 2) * 86_400, to: (years.upperBound + 2) * 86_400, by: Int(quarter)
        ) {
            let local = local(moment)
            if earliest[local] == nil { earliest[local] = moment }
        }
        var changes = 0
        // Backwards, since an implementation that remembers an answer would give it again.
        for time in stride(from: years.upperBound * 86_400, to: years.lowerBound * 86_400, by: -Int(quarter)) {
            if let expected = earliest[time] {
                guard LocalZone.process.first(ofLocal: time) == expected,
                    LocalZone.process.seconds(ofLocal: time) == expected
                else {
                    Issue.record("\(zone), \(time): \(expected)")
                    return
                }
                continue
            }
            changes += 1
            // Skipped: the moment at which the next local time that exists begins, and as long after midnight as before.
            var next = time
            while earliest[next] == nil { next += quarter }
            #expect(LocalZone.process.first(ofLocal: time) == earliest[next])
            var former = time
            while earliest[former] == nil { former -= quarter }
            #expect(LocalZone.process.seconds(ofLocal: time) == earliest[former].map { $0 + time - former })
        }
        try #require(changes > 0)
    }
}
