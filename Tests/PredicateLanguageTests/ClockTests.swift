// Predicates that follow the clock, at moments that the test decides.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import PredicateLanguage
import Testing

@Suite struct ClockTests {
    /// A Saturday, in whatever zone the tests run: its local noon.
    private let now: Timestamp = {
        var time = tm()
        time.tm_year = 126
        time.tm_mon = 1
        time.tm_mday = 28
        time.tm_hour = 12
        time.tm_isdst = -1
        return Timestamp(seconds: Int64(mktime(&time)), nanoseconds: 5)
    }()

    private func midnight(_ year: Int32, _ month: Int32, _ day: Int32) -> Timestamp {
        var time = tm()
        time.tm_year = year - 1900
        time.tm_mon = month - 1
        time.tm_mday = day
        time.tm_isdst = -1
        return Timestamp(seconds: Int64(mktime(&time)), nanoseconds: 0)
    }

    @Test func unitsAreThoseOfTheLocalCalendar() {
        func check(_ unit: TimeExpression.Unit, _ count: Int64, _ start: Timestamp, _ end: Timestamp) {
            let expression = TimeExpression(unit, count)
            #expect(expression.start(from: now) == start, "\(unit) \(count)")
            #expect(expression.end(from: now) == end, "\(unit) \(count)")
        }
        check(.day, 0, midnight(2026, 2, 28), midnight(2026, 3, 1))
        check(.day, -1, midnight(2026, 2, 27), midnight(2026, 2, 28))
        check(.day, 1, midnight(2026, 3, 1), midnight(2026, 3, 2))
        check(.day, -365, midnight(2025, 2, 28), midnight(2025, 3, 1))
        check(.week, 0, midnight(2026, 2, 23), midnight(2026, 3, 2))
        check(.week, 1, midnight(2026, 3, 2), midnight(2026, 3, 9))
        check(.month, 0, midnight(2026, 2, 1), midnight(2026, 3, 1))
        check(.month, -2, midnight(2025, 12, 1), midnight(2026, 1, 1))
        check(.year, 0, midnight(2026, 1, 1), midnight(2027, 1, 1))
        check(.year, -26, midnight(2000, 1, 1), midnight(2001, 1, 1))
        #expect(TimeExpression(.now, -3600).start(from: now).nanoseconds == now.nanoseconds - 3_600_000_000_000)
        #expect(TimeExpression(.now).end(from: now) == nil)
        // Sunday is the last day of its week.
        #expect(TimeExpression(.week).start(from: midnight(2026, 3, 1)) == midnight(2026, 2, 23))
    }

    /// In Havana, midnight occurs twice when clocks are set back, and not at all when they are set forward.
    @Test(.enabled(if: access("/usr/share/zoneinfo/America/Havana", R_OK) == 0, "needs tzdata"))
    func midnightDependsOnNoEarlierQuestion() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "America/Havana", 1)
            tzset()
            let moments = ["2024-11-03", "2024-03-10", "2024-07-01", "2024-01-01"].map { text in
                (
                    text,
                    Timestamp(rfc3339: "\(text)T\(text == "2024-01-01" || text == "2024-03-10" ? "05" : "04"):00:00Z")!
                )
            }
            for _ in 0..<3 {
                for (text, moment) in moments.shuffled() {
                    let predicate = try Predicate(parsing: "modified < '\(text)'", mode: .metadata)
                    let shown = predicate.canonical
                    #expect(shown.contains(moment.rfc3339), "\(text): \(shown)")
                }
            }
        }
    }

    @Test func farAwayIsClamped() {
        for unit in TimeExpression.Unit.allCases {
            for count in [Int64.max, .min, 1 << 44, -(1 << 44)] {
                _ = TimeExpression(unit, count).end(from: now)
                let start = TimeExpression(unit, count).start(from: now)
                #expect(count < 0 ? start < now : start > now, "\(unit) \(count)")
            }
        }
    }

    @Test func resolvingReplacesTimes() throws {
        func resolved(_ text: String) throws -> String {
            let predicate = try Predicate(parsing: text, mode: .metadata)
            #expect(predicate.followsClock)
            let resolved = predicate.resolved(at: now)
            #expect(!resolved.followsClock)
            return resolved.canonical
        }
        func date(_ timestamp: Timestamp) -> String { "CAST('\(timestamp.rfc3339)', 'NSDate')" }
        #expect(try resolved("modified > now()") == "modified > \(date(now))")
        #expect(
            try resolved("size > 1 AND modified >= $time.today(-7)")
                == "size > 1 AND modified >= \(date(midnight(2026, 2, 21)))")
        let inside = "modified >= \(date(midnight(2026, 2, 1))) AND modified < \(date(midnight(2026, 3, 1)))"
        #expect(try resolved("modified == $time.this_month") == inside)
        #expect(try resolved("$time.this_month == modified") == inside)
        #expect(try resolved("modified != $time.this_month") == "NOT (\(inside))")
        #expect(
            try resolved("modified BETWEEN {$time.yesterday, $time.today}")
                == "modified BETWEEN {\(date(midnight(2026, 2, 27))), \(date(midnight(2026, 2, 28)))}")
        #expect(
            try Predicate(parsing: "modified > $time.now(-5) OR created == $time.today", mode: .metadata).times
                == [TimeExpression(.now, -5), TimeExpression(.day)])
    }

    @Test func aDateAloneIsItsMidnightHere() throws {
        #expect(
            try Predicate(parsing: "modified >= '2026-02-28'", mode: .metadata).canonical
                == "modified >= CAST('\(midnight(2026, 2, 28).rfc3339)', 'NSDate')")
    }

    @Test func itemsEnterAndLeaveByTheClock() throws {
        let predicate = try Predicate(parsing: "modified > $time.now(-60)", mode: .metadata)
        let item = PlayedItem(values: [.modified: .date(now)])
        #expect(try predicate.resolved(at: now).evaluate(on: item))
        let later = Timestamp(nanoseconds: now.nanoseconds + 60_000_000_000)
        #expect(try !predicate.resolved(at: later).evaluate(on: item))
        let missing = PlayedItem()
        let notToday = try Predicate(parsing: "created != $time.today", mode: .metadata).resolved(at: now)
        #expect(try notToday.evaluate(on: missing))
        #expect(try notToday.evaluate(on: PlayedItem(values: [.created: .date(midnight(2026, 2, 27))])))
        #expect(try !notToday.evaluate(on: PlayedItem(values: [.created: .date(now)])))
    }
}
