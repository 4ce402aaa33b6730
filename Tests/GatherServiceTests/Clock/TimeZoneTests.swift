// The time zone of a question: the caller's, or the daemon's own.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Metadata
import Synchronization
import Testing
import Varlink

@testable import GatherService

struct TimeZoneTests {
    /// A directory with a file that was changed at a moment, and a database of time zones with New York and Tokyo. The machine has
    /// universal time.
    private static func directory(changed: time_t) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/file")
        let then = timespec(tv_sec: changed, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, directory.path + "/tree/file", [then, then], 0) == 0)
        try ZoneFile(rule: "UTC0").write(to: directory.path + "/localtime")
        for (name, rule) in [("America/New_York", "EST5EDT,M3.2.0,M11.1.0"), ("Asia/Tokyo", "JST-9")] {
            try directory.write("", to: "zoneinfo/" + name)
            try ZoneFile(rule: rule).write(to: directory.path + "/zoneinfo/" + name)
        }
        return directory
    }

    private static func zones(of directory: TemporaryDirectory, own: String? = nil) -> ZoneFiles {
        ZoneFiles(directory: directory.path + "/zoneinfo", local: directory.path + "/localtime", own: own)
    }

    /// 2 o'clock of 1 June 2024 in universal time.
    private static let earlyInJune: time_t = 1_717_207_200

    private func count(_ daemon: DaemonFixture, _ predicate: String, _ zone: String?) async throws -> Int64 {
        try await daemon.call(
            QueryInterface.Count.self, .init(predicate: predicate, timeZone: zone)
        ).count
    }

    /// Expects this many items for a predicate and a zone.
    private func expect(
        _ count: Int64, _ daemon: DaemonFixture, _ predicate: String, _ zone: String?,
        at place: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await self.count(daemon, predicate, zone)
        #expect(found == count, "\(predicate) in \(zone ?? "the daemon's zone")", sourceLocation: place)
    }

    @Test func callersZoneDecides() async throws {
        let directory = try Self.directory(changed: Self.earlyInJune)
        let texts = [
            "America/New_York", ":America/New_York", directory.path + "/zoneinfo/America/New_York",
            "EST5EDT,M3.2.0,M11.1.0",
        ]
        try await DaemonFixture.run(directory: directory, adjust: { $0.zones = Self.zones(of: directory) }) { daemon in
            let predicate = "modified >= '2024-06-01'"
            for zone in [nil, "", "UTC", "Asia/Tokyo"] { try await expect(1, daemon, predicate, zone) }
            for zone in texts {
                try await expect(0, daemon, predicate, zone)
                try await expect(1, daemon, "modified >= '2024-05-31'", zone)
                try await expect(1, daemon, "modified < '2024-05-31 22:01'", zone)
            }
            let zone = texts[0]
            let found = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: predicate, timeZone: zone))
            #expect(found.items.isEmpty)
            let values = try await daemon.call(
                QueryInterface.Values.self, .init(predicate: predicate, attribute: "name", timeZone: zone))
            #expect(values.values.isEmpty)
            let explained = try await daemon.call(
                QueryInterface.Explain.self, .init(predicate: predicate, timeZone: zone))
            #expect(explained.canonical.contains("2024-06-01T04:00:00.000000000Z"), "\(explained.canonical)")
            let subscriber = try await Subscriber(daemon, .init(predicate: predicate, timeZone: zone))
            try await subscriber.gather()
            #expect(subscriber.items.isEmpty)
            let then = timespec(tv_sec: Self.earlyInJune + 7_200, tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, daemon.tree + "/file", [then, then], 0) == 0)
            while subscriber.items.isEmpty { try await subscriber.next() }
            await subscriber.close()
        }
    }

    /// Days begin at other moments for each caller, and texts of files are cast by the caller's zone.
    @Test func daysAndCastsAreOfTheCallersZone() async throws {
        let directory = try Self.directory(changed: Self.earlyInJune)
        try directory.write("", to: "tree/2024-06-01")
        try await DaemonFixture.run(
            directory: directory,
            adjust: {
                $0.zones = Self.zones(of: directory)
                // Noon of the same day in universal time.
                $0.timeOfDay = { Timestamp(seconds: Int64(Self.earlyInJune) + 36_000, nanoseconds: 0) }
            }
        ) { daemon in
            let today = "name == 'file' AND modified == $time.today"
            try await expect(1, daemon, today, nil)
            try await expect(0, daemon, today, "America/New_York")
            try await expect(1, daemon, "name == 'file' AND modified == 'yesterday'", "America/New_York")
            try await expect(1, daemon, today, "Asia/Tokyo")
            let cast = "name == '2024-06-01' AND CAST(name, 'NSDate') == CAST('2024-06-01T04:00:00Z', 'NSDate')"
            try await expect(0, daemon, cast, nil)
            try await expect(1, daemon, cast, "America/New_York")
        }
    }

    @Test func daemonsOwnZoneMayBeAnyFile() async throws {
        let directory = try Self.directory(changed: Self.earlyInJune)
        try ZoneFile(rule: "EST5EDT,M3.2.0,M11.1.0").write(to: directory.path + "/own")
        let own = directory.path + "/own"
        try await DaemonFixture.run(
            directory: directory, adjust: { $0.zones = Self.zones(of: directory, own: own) }
        ) { daemon in
            try await expect(0, daemon, "modified >= '2024-06-01'", nil)
            // A program with the engine inside names the same file.
            try await expect(0, daemon, "modified >= '2024-06-01'", own)
            try await expect(1, daemon, "modified >= '2024-06-01'", "UTC")
        }
    }

    @Test func textsOfCallersOpenNoOtherFile() async throws {
        let directory = try Self.directory(changed: Self.earlyInJune)
        // A reader of a FIFO would wait, and a file beside the database is none of a caller's business.
        #expect(mkfifo(directory.path + "/zoneinfo/fifo", 0o600) == 0)
        try ZoneFile(rule: "JST-9").write(to: directory.path + "/secret")
        try directory.write("no zone", to: "zoneinfo/readme")
        let texts = [
            directory.path + "/secret", ":" + directory.path + "/secret", "../secret", "America/../../secret",
            "/etc/passwd",
            ":/etc/passwd", "America", "America/", "America//New_York", "./Asia/Tokyo", "fifo", "readme",
            "Nowhere/Place",
            String(repeating: "a", count: 300), "Asia/Tokyo\u{0}", "ä", directory.path + "/zoneinfo/../secret",
        ]
        try await DaemonFixture.run(directory: directory, adjust: { $0.zones = Self.zones(of: directory) }) { daemon in
            for text in texts {
                do {
                    _ = try await count(daemon, "modified >= '2024-06-01'", text)
                    Issue.record("\(text) is a zone")
                } catch {
                    guard case VarlinkClientError.error(let error) = error else { throw error }
                    #expect(QueryError(error) == .unknownTimeZone(text))
                }
                // It matters to local times only.
                try await expect(0, daemon, "name == 'file' AND modified > $time.now(-60)", text)
                try await expect(1, daemon, "modified >= '2024-06-01T00:00:00Z'", text)
            }
        }
    }

    /// More zones than the daemon keeps are known all the same.
    @Test func moreZonesThanAreKept() throws {
        let directory = try Self.directory(changed: 0)
        let zones = TimeZones(Self.zones(of: directory))
        for hour in 0..<2 * Limits.timeZones {
            try ZoneFile(rule: "AAA-\(hour % 12)").write(
                to: directory.path + "/zoneinfo/z\(hour)")
            #expect(zones.zone("z\(hour)")?.local(at: 0) == Int64(hour % 12) * 3_600)
        }
        #expect(zones.zone("z0")?.local(at: 0) == 0)
    }

    // MARK: Other rules

    /// A time of day that a test sets.
    private final class SetClock: Sendable {
        private let seconds: Atomic<Int64>
        private let wakes = Mutex<[@Sendable () -> Void]>([])

        init(_ moment: time_t) { seconds = Atomic(Int64(moment)) }

        var now: Timestamp { Timestamp(seconds: seconds.load(ordering: .sequentiallyConsistent), nanoseconds: 0) }

        func set(_ moment: time_t) {
            seconds.store(Int64(moment), ordering: .sequentiallyConsistent)
            for wake in wakes.withLock({ $0 }) { wake() }
        }

        @Sendable func watch(_ wake: @escaping @Sendable () -> Void) throws(SystemError) -> ClockWatch {
            wakes.withLock { $0.append(wake) }
            return try ClockWatch(wake: wake)
        }
    }

    private static let newYork = ZoneFile(rule: "EST5EDT,M3.2.0,M11.1.0")

    @Test func nextQuestionHasTheRulesOfNow() async throws {
        let directory = try Self.directory(changed: Self.earlyInJune)
        let local = directory.path + "/localtime"
        try await DaemonFixture.run(directory: directory, adjust: { $0.zones = Self.zones(of: directory) }) { daemon in
            let predicate = "modified >= '2024-06-01'"
            try await expect(1, daemon, predicate, nil)
            try Self.newYork.write(to: local)
            try await expect(0, daemon, predicate, nil)
            // As timedatectl(1) does it.
            try await expect(1, daemon, predicate, "Asia/Tokyo")
            #expect(unlink(local) == 0 && symlink("zoneinfo/Asia/Tokyo", local) == 0)
            try await expect(1, daemon, predicate, nil)
            // As an update of the database does it.
            try Self.newYork.write(to: directory.path + "/zoneinfo/Asia/Tokyo")
            try await expect(0, daemon, predicate, nil)
            try await expect(0, daemon, predicate, "Asia/Tokyo")
            #expect(unlink(local) == 0)
            try await expect(1, daemon, "modified >= '2024-06-01 00:00Z'", nil)
        }
    }

    @Test func liveQueriesFollowTheRulesOfTheirZone() async throws {
        let directory = try Self.directory(changed: Self.earlyInJune)
        let local = directory.path + "/localtime"
        let tokyo = directory.path + "/zoneinfo/Asia/Tokyo"
        try await DaemonFixture.run(
            directory: directory,
            adjust: {
                $0.zones = Self.zones(of: directory)
                $0.timeOfDay = { Timestamp(seconds: Int64(Self.earlyInJune) + 36_000, nanoseconds: 0) }
            }
        ) { daemon in
            func live(_ predicate: String, _ zone: String? = nil) async throws -> Subscriber {
                let subscriber = try await Subscriber(daemon, .init(predicate: predicate, timeZone: zone))
                try await subscriber.gather()
                #expect(subscriber.items.count == 1, "\(predicate)")
                return subscriber
            }
            let dated = try await live("modified >= '2024-06-01'")
            let today = try await live("modified == $time.today")
            let named = try await live("modified >= '2024-06-01'", "Asia/Tokyo")
            try Self.newYork.write(to: local)
            for subscriber in [dated, today] { while !subscriber.items.isEmpty { try await subscriber.next() } }
            #expect(dated.lastCount == 0 && today.lastCount == 0 && named.items.count == 1)
            try Self.newYork.write(to: tokyo)
            while !named.items.isEmpty { try await named.next() }
            // Changes of files count by the rules of now.
            try await modify(daemon, Self.earlyInJune + 7_200)
            for subscriber in [dated, today, named] { while subscriber.items.isEmpty { try await subscriber.next() } }
            try await modify(daemon, Self.earlyInJune)
            for subscriber in [dated, today, named] { while !subscriber.items.isEmpty { try await subscriber.next() } }
            let universal = directory.path + "/zoneinfo/UTC"
            try ZoneFile(rule: "UTC0").write(to: universal)
            #expect(unlink(local) == 0 && symlink("zoneinfo/UTC", local) == 0)
            for subscriber in [dated, today] { while subscriber.items.isEmpty { try await subscriber.next() } }
            // The file to which the link leads now.
            try Self.newYork.write(to: universal)
            for subscriber in [dated, today] { while !subscriber.items.isEmpty { try await subscriber.next() } }
            for subscriber in [dated, today, named] {
                #expect(subscriber.violations == [])
                await subscriber.close()
            }
        }
    }

    private func modify(_ daemon: DaemonFixture, _ moment: time_t) async throws {
        let then = timespec(tv_sec: moment, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, daemon.tree + "/file", [then, then], 0) == 0)
    }

    /// Predicates that are too long for the event loop are read and planned elsewhere.
    @Test func longLiveQueriesFollowTheRulesOfTheirZone() async throws {
        let directory = try Self.directory(changed: Self.earlyInJune)
        var limits = ServiceLimits()
        limits.predicateBytesOnLoop = 8
        try await DaemonFixture.run(
            directory: directory, limits: limits, adjust: { $0.zones = Self.zones(of: directory) }
        ) { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "modified >= '2024-06-01'"))
            try await subscriber.gather()
            for (rule, count) in [("EST5EDT,M3.2.0,M11.1.0", 0), ("UTC0", 1), ("EST5EDT,M3.2.0,M11.1.0", 0)] {
                try ZoneFile(rule: rule).write(to: directory.path + "/localtime")
                while subscriber.items.count != count { try await subscriber.next() }
            }
            #expect(subscriber.violations == [])
            await subscriber.close()
        }
    }

    /// The end of a day that a timer waits for is that of the new rules.
    @Test func dayEndsByTheRulesOfNow() async throws {
        let directory = try Self.directory(changed: Self.earlyInJune + 10_800)
        let clock = SetClock(Self.earlyInJune + 36_000)
        try await DaemonFixture.run(
            directory: directory,
            adjust: {
                $0.zones = Self.zones(of: directory)
                $0.timeOfDay = { clock.now }
                $0.watchClock = { wake throws(SystemError) in try clock.watch(wake) }
            }
        ) { daemon in
            let here = try await Subscriber(daemon, .init(predicate: "modified == $time.today"))
            let universal = try await Subscriber(
                daemon, .init(predicate: "modified == $time.today", timeZone: "UTC"))
            for subscriber in [here, universal] {
                try await subscriber.gather()
                #expect(subscriber.items.count == 1)
            }
            // A file that is older by an hour is of yesterday by the new rules, and says that they count.
            try directory.write("", to: "tree/marker")
            let then = timespec(tv_sec: Self.earlyInJune, tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, daemon.tree + "/marker", [then, then], 0) == 0)
            for subscriber in [here, universal] { while subscriber.items.count != 2 { try await subscriber.next() } }
            try Self.newYork.write(to: directory.path + "/localtime")
            while here.items.count != 1 { try await here.next() }
            // 2 o'clock of the next day in universal time is 22 o'clock in New York.
            clock.set(Self.earlyInJune + 86_400)
            while !universal.items.isEmpty { try await universal.next() }
            try await expect(1, daemon, "name == 'file' AND modified == $time.today", nil)
            // Nothing was told before the change that is told now.
            try directory.write("", to: "tree/late")
            let late = timespec(tv_sec: Self.earlyInJune + 10_800, tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, daemon.tree + "/late", [late, late], 0) == 0)
            while here.items.count != 2 { try await here.next() }
            clock.set(Self.earlyInJune + 86_400 + 7_200)
            while !here.items.isEmpty { try await here.next() }
            for subscriber in [here, universal] {
                #expect(subscriber.violations == [])
                await subscriber.close()
            }
        }
    }

    /// The difference from an answer by other rules is not known.
    @Test func clockFromBeforeTheRulesChangedIsKnownNoMore() async throws {
        let directory = try Self.directory(changed: Self.earlyInJune)
        try await DaemonFixture.run(directory: directory, adjust: { $0.zones = Self.zones(of: directory) }) { daemon in
            func isFresh(_ predicate: String, _ zone: String?, since clock: String?) async throws -> Bool {
                let subscriber = try await Subscriber(
                    daemon, .init(predicate: predicate, since: clock, timeZone: zone))
                let isFresh = try await subscriber.next().fresh == true
                await subscriber.close()
                return isFresh
            }
            let dated = "modified >= '2024-06-01'"
            let own = try await daemon.call(QueryInterface.Count.self, .init(predicate: dated)).clock
            let timeless = try await daemon.call(QueryInterface.Count.self, .init(predicate: "")).clock
            for clock in [own, timeless] {
                let (isNew, isOther) = (
                    try await isFresh(dated, nil, since: clock), try await isFresh("size == 0", nil, since: clock)
                )
                #expect(!isNew && !isOther)
            }
            try Self.newYork.write(to: directory.path + "/localtime")
            for clock in [own, timeless] {
                let (isNew, isOther) = (
                    try await isFresh(dated, nil, since: clock), try await isFresh("size == 0", nil, since: clock)
                )
                #expect(isNew && !isOther)
            }
        }
    }
}
