// The time zone of a question: the caller's, or the daemon's own.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Metadata
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
}
