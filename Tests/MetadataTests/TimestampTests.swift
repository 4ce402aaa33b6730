// Timestamps against known instants, and against themselves there and back.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000000Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000000000Z"),
            (1_710_498_600_123_456_789, "2024-03-15T10:30:00.123456789Z"),
            (Int64.max, "2262-04-11T23:47:16.854775807Z"),
            (Int64.min, "1677-09-21T00:12:43.145224192Z"),
        ] as [(Int64, String)])
    func knownInstants(nanoseconds: Int64, text: String) {
        #expect(Timestamp(nanoseconds: nanoseconds).rfc3339 == text)
        #expect(Timestamp(rfc3339: text)?.nanoseconds == nanoseconds)
    }

    @Test func everyDayOfFourCenturies() {
        for day in Int64(-80_000)...80_000 {
            let (year, month, dayOfMonth) = Timestamp.civil(fromDays: day)
            #expect(Timestamp.days(fromYear: year, month: month, day: dayOfMonth) == day)
        }
    }

    @Test func zonesAndFractions() {
        #expect(Timestamp(rfc3339: "2024-03-15T12:30:00+02:00") == Timestamp(rfc3339: "2024-03-15T10:30:00Z"))
        #expect(Timestamp(rfc3339: "2024-03-15 10:30:00.5z")?.nanoseconds == 1_710_498_600_500_000_000)
    }

    @Test(arguments: [
        "", "2024-03-15", "2024-02-30T00:00:00Z", "2024-03-15T24:00:00Z", "2024-03-15T10:30:00",
        "2024-03-15T10:30:00.Z", "2024-03-15T10:30:00Zx",
    ])
    func refused(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func clamps() {
        for text in ["2262-04-11T23:47:16.854775808Z", "2263-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
            #expect(Timestamp(rfc3339: text)?.nanoseconds == .max, "\(text)")
        }
        for text in ["1677-09-21T00:12:43.145224191Z", "1600-01-01T00:00:00Z", "0000-01-01T00:00:00+23:59"] {
            #expect(Timestamp(rfc3339: text)?.nanoseconds == .min, "\(text)")
        }
        #expect(Timestamp(seconds: .max, nanoseconds: 0).nanoseconds == .max)
        #expect(Timestamp(seconds: .min, nanoseconds: 0).nanoseconds == .min)
    }

    @Test func timesOutOfRangeAreOrderedAroundTimesInRange() {
        func time(_ year: Int64) -> Timestamp {
            Timestamp(seconds: Timestamp.days(fromYear: year, month: 1, day: 1) * 86_400, nanoseconds: 5)
        }
        let years: [Int64] = [1, 1600, 1677, 1678, 1970, 2026, 2262, 2263, 3000, 9999]
        for (one, other) in zip(years, years.dropFirst()) { #expect(time(one) <= time(other), "\(one) \(other)") }
        #expect(time(1) == time(1600) && time(1677) < time(1678) && time(2262) < time(2263) && time(2263) == time(9999))
        // The first second of the range begins before it.
        let first = Timestamp(nanoseconds: .min)
        #expect(Timestamp(seconds: -9_223_372_037, nanoseconds: 145_224_191) == first)
        #expect(Timestamp(seconds: -9_223_372_037, nanoseconds: 145_224_193).nanoseconds == .min + 1)
    }
}
