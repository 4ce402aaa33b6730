// Changes of the files of accounts and time zones are noticed.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import LinuxSystem
import Testing

@testable import GatherService

struct SystemFilesTests {
    private func files(_ directory: TemporaryDirectory, hasChanged: @escaping @Sendable () -> Void = {}) -> SystemFiles
    {
        var zones = ZoneFiles.system
        (zones.directory, zones.local, zones.own) = (directory.path, directory.path + "/local", nil)
        return SystemFiles(
            types: ContentTypeFiles.read([]), zones: TimeZones(zones), names: AccountNames(),
            hasChanged: hasChanged, hasFailed: { Issue.record($0) })
    }

    @Test func otherRulesOfAZoneAreOfTheClockAtWhichTheyWereFound() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/Here"
        try ZoneFile(rule: "XXX-1").write(to: path)
        let files = files(directory)
        #expect(files.zones.zone("Here") != nil)
        #expect(files.lastChangeOfZones(now: 5) == nil)
        try ZoneFile(rule: "XXX-12").write(to: path)
        #expect(files.zones.zone("Here") != nil)
        #expect(files.lastChangeOfZones(now: 7) == 7)
        #expect(files.lastChangeOfZones(now: 9) == 7, "nothing has changed since")
    }

    @Test func aFileThatIsReplacedIsTold() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/Here"
        try ZoneFile(rule: "XXX-1").write(to: path)
        let (told, changed) = AsyncStream.makeStream(of: Void.self)
        let files = files(directory) { changed.yield() }
        files.watch([path])
        files.arm()
        try ZoneFile(rule: "XXX-2").write(to: path)
        for await _ in told { break }
        files.close()
    }

    @Test func forgottenNamesAreOthersInClocks() throws {
        let files = files(try TemporaryDirectory())
        let number = files.names.number
        files.forgetNames()
        #expect(files.names.number != number)
    }
}
