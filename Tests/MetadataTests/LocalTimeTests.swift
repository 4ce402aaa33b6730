// Moments as clocks show them, beside Foundation's calendar.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Metadata
import TestSupport
import Testing

@Suite struct LocalTimeTests {
    @Test func `Moments are those of Foundation's calendar`() throws {
        let seed = TestLength.seed(1)
        var random = SeededGenerator(seed: seed)
        var (here, universal) = (Calendar(identifier: .gregorian), Calendar(identifier: .gregorian))
        here.timeZone = .current
        universal.timeZone = try #require(TimeZone(identifier: "UTC"))
        for _ in 0..<500 {
            let seconds = Int64.random(in: 0...4_102_444_800, using: &random)
            let date = Date(timeIntervalSince1970: TimeInterval(seconds))
            for (time, calendar) in [(LocalTime(seconds), here), (LocalTime(universal: seconds), universal)] {
                let time = try #require(time)
                let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
                #expect(
                    [time.year, time.month, time.day, time.hour, time.minute, time.second]
                        == [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second],
                    "\(seconds), seed \(seed)")
                #expect(time.offset == calendar.timeZone.secondsFromGMT(for: date), "\(seconds), seed \(seed)")
            }
        }
    }

    @Test func `Texts have all their digits`() throws {
        let time = try #require(LocalTime(universal: 1_769_850_305))
        #expect(time.date == "2026-01-31" && time.hourAndMinute == "09:05" && time.offsetText == "+00:00")
        #expect(
            LocalTime.digits(7, 3) == "007" && LocalTime.digits(1_234, 3) == "1234" && LocalTime.digits(-1, 2) == "00")
    }

    @Test func `A year that the C library does not have is none`() {
        #expect(LocalTime(.max) == nil && LocalTime(universal: .max) == nil && LocalTime(universal: .min) == nil)
    }
}
