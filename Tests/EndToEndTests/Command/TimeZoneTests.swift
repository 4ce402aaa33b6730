// The day of a question is the day of the one who asks.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: access("/usr/share/zoneinfo/America/New_York", R_OK) == 0, "needs tzdata"))
struct TimeZoneTests {
    /// Writes a file that was changed at 2 o'clock of 1 June 2024 in universal time.
    private static func write(_ path: String) throws {
        try Change.write("", to: path)
        let then = timespec(tv_sec: 1_717_207_200, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, path, [then, then], 0) == 0)
    }

    private static let zones = [
        ("UTC", "1"), ("America/New_York", "0"), (":America/New_York", "0"), ("EST5EDT,M3.2.0,M11.1.0", "0"),
        ("/usr/share/zoneinfo/America/New_York", "0"), ("Asia/Tokyo", "1"), ("", "1"),
    ]

    @Test func dayIsThatOfTheCallerWithAndWithoutADaemon() async throws {
        let daemon = try await TestDaemon()
        try Self.write(daemon.box + "/file")
        for (zone, count) in Self.zones {
            for place in [["--socket", daemon.socket.path], ["--embedded", "--in", daemon.box]] {
                let counted = await ChildProcess(
                    .gather, ["count", "modified >= '2024-06-01'"] + place, environment: ["TZ": zone]
                ).result()
                #expect(counted.text == count + "\n", "\(zone) \(place): \(counted.errors)")
            }
        }
        let unknown = await ChildProcess(
            .gather, ["count", "modified >= '2024-06-01'", "--socket", daemon.socket.path],
            environment: ["TZ": "Nowhere/Place"]
        ).result()
        #expect(unknown.status == 64 && unknown.errors.contains("'Nowhere/Place'"), "\(unknown.errors)")
    }

    @Test(.needsRoot("sshd", if: RemoteMachines.arePossible)) func dayOfAnotherMachineIsThatOfTheCaller() async throws {
        let machines = try await RemoteMachines("attic", "cellar")
        for name in ["attic", "cellar"] { try Self.write(try machines[name].box + "/file") }
        for (zone, count) in Self.zones {
            for hosts in [["-H", "attic"], ["-H", "attic", "-H", "cellar"]] {
                let found = await ChildProcess(
                    .gather, hosts + ["find", "modified >= '2024-06-01'"],
                    environment: machines.environment.merging(["TZ": zone]) { $1 }
                ).result()
                #expect(found.lines.count == (count == "1" ? hosts.count / 2 : 0), "\(zone): \(found.errors)")
            }
        }
    }
}
