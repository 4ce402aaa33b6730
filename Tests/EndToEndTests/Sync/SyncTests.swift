// Two machines with real Syncthings: files travel, and the attributes say what Syncthing knows.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: SyncMachine.isInstalled, "syncthing is not installed"))
struct SyncTests {
    @Test func savedFileIsLiveOnTheOtherMachine() async throws {
        let pair = try await SyncPair()
        // Syncthing's own watcher is off, so the helper has started each scan.
        let folders = try await pair.a.rest("GET", "/rest/config/folders") as? [[String: Any]]
        #expect(folders?.first?["fsWatcherEnabled"] as? Bool == false)

        try pair.a.save("letter.txt", "one")
        // An item may be known before its file has come.
        let isHere = "downloadingStatus == 'current'"
        try await pair.b.until("name == 'letter.txt' AND size == 3 AND \(isHere)", ["letter.txt"])
        try pair.b.save("letter.txt", "three")
        try await pair.a.until("name == 'letter.txt' AND size == 5", ["letter.txt"])
        try FileManager.default.createDirectory(atPath: pair.a.box + "/old", withIntermediateDirectories: false)
        try pair.a.save("old/inner", "x")
        try await pair.b.until("name == 'inner' AND \(isHere)", ["old/inner"])
        try #require(rename(pair.a.box + "/old", pair.a.box + "/new") == 0)
        try await pair.b.until("name == 'inner' AND \(isHere) AND isUploaded == TRUE", ["new/inner"])
        try FileManager.default.removeItem(atPath: pair.b.box + "/new")
        try await pair.a.until("name IN {'inner', 'new', 'old'}", [])
    }

    /// A scan of a directory that Syncthing has just made would make a version of this device, which another device's
    /// deletion of the old name does not remove.
    @Test func renamedDirectoriesDoNotComeBack() async throws {
        let pair = try await SyncPair()
        let names = (0..<20).map { "\($0)" }
        for name in names {
            try pair.a.save("old\(name)/inner\(name)", name)
            try await pair.b.until("name == 'inner\(name)'", ["old\(name)/inner\(name)"])
            try #require(rename(pair.a.box + "/old\(name)", pair.a.box + "/new\(name)") == 0)
            try await pair.b.until("name == 'inner\(name)'", ["new\(name)/inner\(name)"])
        }
        // Each device sends its versions in their order.
        try pair.b.save("end", "end")
        try await pair.a.until("name == 'end' AND downloadingStatus == 'current'", ["end"])
        for machine in [pair.a, pair.b] {
            try await machine.until("name LIKE 'old*' OR name LIKE 'new*'", Set(names.map { "new" + $0 }))
        }
    }

    /// Two devices may make copies of one name in one second, so each claims its own before the other hears of it.
    @Test func freshCopiesAreClaimed() async throws {
        let pair = try await SyncPair()
        try pair.a.save("letter.txt", "one")
        let isSafe = "name == 'letter.txt' AND isUploaded == TRUE AND downloadingStatus == 'current'"
        try await pair.b.until(isSafe, ["letter.txt"])
        // Both helpers go on, so the device that makes the copy is the first that can claim it.
        try await pair.a.rest("POST", "/rest/system/pause?device=\(pair.b.device)")
        try pair.a.save("letter.txt", "of A")
        // The older version loses.
        try pair.b.save("letter.txt", "of B")
        let old = timespec(tv_sec: 981_173_106, tv_nsec: 0)
        try #require(utimensat(AT_FDCWD, pair.b.box + "/letter.txt", [old, old], 0) == 0)
        for (machine, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
            while try await !machine.lacking(other).contains("letter.txt") { await Task.yield() }
        }
        try await pair.a.rest("POST", "/rest/system/resume?device=\(pair.b.device)")
        for machine in [pair.a, pair.b] {
            try await machine.until("\(isSafe) AND hasUnresolvedConflicts == TRUE", ["letter.txt"])
            // A copy that came before it was claimed goes again.
            var all: [String] = []
            while all.count != 2 {
                all = try await machine.paths("name LIKE 'letter*' AND downloadingStatus == 'current'").sorted()
                await Task.yield()
            }
            #expect(all[0].wholeMatch(of: /letter\.sync-conflict-20010203-040506-.{7}\.txt/) != nil, "\(all)")
            let (copy, winner) = (machine.box + "/" + all[0], machine.box + "/" + all[1])
            #expect(try String(contentsOfFile: copy, encoding: .utf8) == "of B")
            #expect(try String(contentsOfFile: winner, encoding: .utf8) == "of A")
        }
    }

    /// Syncthing never sends these files, and removes them after a day.
    @Test func temporaryFilesOfAKilledSaveReachTheOtherMachine() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        func leave(_ text: String, _ path: String, isOld: Bool = true) throws {
            try Change.write(text, to: a.box + "/" + path)
            guard isOld else { return }
            // Two days old, so that Syncthing's next scan of the whole folder would remove it.
            let now = time(nil)
            var times = [timespec(tv_sec: now - 172_800, tv_nsec: 0), timespec(tv_sec: now - 172_800, tv_nsec: 0)]
            try #require(utimensat(AT_FDCWD, a.box + "/" + path, &times, 0) == 0)
        }
        try a.save("inner/letter.txt", "current")
        try a.save("other", "x")
        try await b.until("name == 'letter.txt' AND downloadingStatus == 'current'", ["inner/letter.txt"])
        try await b.until("name == 'other' AND downloadingStatus == 'current'", ["other"])
        try await a.end("gather-syncd")
        try leave("left", "inner/.syncthing.gather-letter.txt.tmp")
        try leave("new", ".syncthing.gather-first.txt.tmp")
        // Files of Gather's own, of which no machine has the rest.
        let own = [
            ".gather-sync/.syncthing.gather-evicted-ABCDEFG.tmp",
            ".gather/key-values/.syncthing.gather-ABCDEFG-0.keyvalues.tmp",
        ]
        for path in own {
            try a.save(path, "")
            try leave("half", path, isOld: false)
        }
        // A process that still saves has locked its directory, and its file stays.
        try a.save("locked/document", "x")
        let locked = try FolderLock(a.box + "/locked")
        defer { withExtendedLifetime(locked) {} }
        try #require(try locked.attempt())
        try leave("under way", "locked/.syncthing.gather-document.tmp", isOld: false)
        try await a.startHelper()

        try await b.until("name == 'first.txt' AND downloadingStatus == 'current'", ["first.txt"])
        var copies: Set<String> = []
        while copies.isEmpty {
            await Task.yield()
            copies = try await a.paths("isConflictVersion == TRUE")
        }
        try await b.until("isConflictVersion == TRUE AND downloadingStatus == 'current'", copies)
        func text(_ name: String) throws -> String { try String(contentsOfFile: b.box + "/" + name, encoding: .utf8) }
        #expect(try copies.map(text) == ["left"])
        #expect(try text("inner/letter.txt") == "current")
        #expect(try text("first.txt") == "new")
        for name in ["inner/.syncthing.gather-letter.txt.tmp", ".syncthing.gather-first.txt.tmp"] {
            #expect(access(a.box + "/" + name, F_OK) != 0)
        }
        for path in own + ["locked/.syncthing.gather-document.tmp"] { #expect(access(a.box + "/" + path, F_OK) == 0) }
    }

    @Test func attributesSayWhatSyncthingKnows() async throws {
        let pair = try await SyncPair()
        for number in 0..<20 { try pair.a.save("d\(number % 3)/f\(number)", "\(number)") }
        let all = Set(["first", "d0", "d1", "d2"] + (0..<20).map { "d\($0 % 3)/f\($0)" })
        for machine in [pair.a, pair.b] {
            try await machine.until("isUploaded == TRUE AND downloadingStatus == 'current'", all)
            #expect(try await machine.paths("isUbiquitous == TRUE") == all)
            #expect(try await machine.paths("isUploading == TRUE OR isDownloading == TRUE").isEmpty)
        }
        let items = try await pair.a.client.find("", attributes: [.path, .uploadedTo]).items
        #expect(items.allSatisfy { $0.uploadedTo == ["B"] })
        #expect(try await pair.a.lacking(pair.b).isEmpty)
        try await pair.b.until("savingDevice == 'A' AND name == 'f7'", ["d1/f7"])
    }

    @Test func itemsThatAreOnNoOtherDeviceAreListed() async throws {
        let pair = try await SyncPair()
        try pair.a.save("kept", "kept")
        try pair.a.save("edited", "one")
        try pair.a.save("gone", "gone")
        try await pair.a.until("isUploaded == TRUE", ["first", "kept", "edited", "gone"])
        try await pair.b.end("syncthing")

        try pair.a.save("fresh", "fresh")
        try pair.a.save("deep/er/file", "fresh")
        try pair.a.save("edited", "two")
        unlink(pair.a.box + "/gone")
        let expected: Set = ["fresh", "deep", "deep/er", "deep/er/file", "edited"]
        try await pair.a.until("isUploaded == FALSE", expected)
        try await pair.a.until("isUploaded == TRUE", ["first", "kept"])
        // gatherd lists a change before Syncthing has scanned it.
        while try await pair.a.lacking(pair.b) != expected { await Task.yield() }
        #expect(try await pair.a.paths("isUploaded == FALSE") == expected)

        try await pair.b.startSyncthing()
        try await pair.a.until("isUploaded == FALSE", [])
        try await pair.a.until("isUploaded == TRUE", expected.union(["first", "kept"]))
        #expect(try await pair.a.lacking(pair.b).isEmpty)
    }

    @Test func killedHelperLeavesStatesUnknown() async throws {
        let pair = try await SyncPair()
        try await pair.a.end("gather-syncd", SIGKILL)
        try await pair.a.until("isUploaded == TRUE", [])
        #expect(try await pair.a.paths("isUploaded == FALSE OR downloadingStatus == 'current'").isEmpty)
        // Changes of that time cost one scan.
        try pair.a.save("meanwhile", "x")
        unlink(pair.a.box + "/first")
        try await pair.a.startHelper()
        try await pair.a.until("isUploaded == TRUE", ["meanwhile"])
        try await pair.b.until("", ["meanwhile"])
    }

    @Test func stoppedSyncthingLeavesStatesUnknown() async throws {
        let pair = try await SyncPair()
        try await pair.a.end("syncthing")
        try await pair.a.until("isUploaded == TRUE", [])
        let status = try await pair.a.sharing("Status")
        #expect(status.parameters["running"] as? Bool == false)
        #expect((status.parameters["reason"] as? String)?.isEmpty == false)
        #expect(try await pair.a.sharing("Share", ["container": "box", "devices": ["B"]]).error == "NotRunning")
        try pair.a.save("meanwhile", "x")
        try await pair.a.startSyncthing()
        try await pair.a.until("isUploaded == TRUE", ["first", "meanwhile"])
    }

    /// An older version is here while the new one comes, slowly. Syncthing does not tell each time that the other device fetches it.
    @Test func transfersShowTheirProgress() async throws {
        let pair = try await SyncPair()
        try pair.a.save("large", "small yet")
        try await pair.b.until("isUploaded == TRUE", ["first", "large"])
        try await pair.b.rest("PATCH", "/rest/config/options", ["maxRecvKbps": 1024, "limitBandwidthInLan": true])
        var contents = Data(count: 96 << 20)
        for index in stride(from: 0, to: contents.count, by: 4093) {
            contents[index] = UInt8(truncatingIfNeeded: index >> 8)
        }
        let progress = try await Progress(of: "large", pair.b)
        try pair.a.save("large", contents)
        try await pair.b.until("downloadingStatus == 'downloaded'", ["large"])
        try await pair.b.until("isDownloading == TRUE AND percentDownloaded > 0 AND percentDownloaded < 100", ["large"])
        try await pair.a.until("isUploaded == FALSE", ["large"])
        try await pair.b.rest("PATCH", "/rest/config/options", ["maxRecvKbps": 0])
        try await pair.b.until("downloadingStatus == 'downloaded' OR isDownloading == TRUE", [])
        try await pair.a.until("isUploaded == FALSE OR isUploading == TRUE", [])
        #expect(try Data(contentsOf: URL(filePath: pair.b.box + "/large")) == contents)
        let steps = try await progress.end()
        let coming = steps.drop { $0.status == "current" }.prefix { $0.status != "current" }.map(\.percent)
        #expect(coming.first == 0 && coming == coming.sorted(), "\(steps)")
        #expect(steps.last?.status == "current" && steps.last?.percent == 100, "\(steps)")
    }

    /// The states of a file as a live query tells them, until it is current again.
    private final class Progress: Sendable {
        private let steps: Task<[(status: String, percent: Int)], any Error>

        init(of name: String, _ machine: SyncMachine) async throws {
            let query = MetadataQuery(
                predicate: "name == '\(name)'", scopes: [.container("box")],
                attributes: [.path, .downloadingStatus, .percentDownloaded], socket: machine.socket)
            try await query.start()
            var notifications = query.notifications.makeAsyncIterator()
            while let first = try await notifications.next() { if case .gathered = first { break } }
            let rest = query.notifications
            steps = Task {
                let guardian = Patience.whenOver { query.stop() }
                defer { guardian.cancel() }
                var steps: [(status: String, percent: Int)] = []
                for try await _ in rest {
                    guard let item = query.results.first else { continue }
                    steps.append((item.downloadingStatus?.rawValue ?? "", Int(item.percentDownloaded ?? -1)))
                    if steps.contains(where: { $0.status != "current" }), steps.last?.status == "current" { break }
                }
                query.stop()
                return steps
            }
        }

        func end() async throws -> [(status: String, percent: Int)] { try await steps.value }
    }

    /// Gather permits the extended attributes that it knows.
    @Test func tagsTravelWithALaterSyncthing() async throws {
        let pair = try await SyncPair()
        let carriesTags = try await pair.a.carriesTags
        for (name, value) in [("user.xdg.tags", "urgent"), ("user.private", "x")] {
            try Change.extendedAttribute(name, value, of: pair.a.box + "/first")
        }
        try await pair.a.until("tags == 'urgent'", ["first"])
        try pair.a.save("second", "saved afterwards")
        try await pair.b.until("isUploaded == TRUE AND name == 'second'", ["second"])
        if carriesTags {
            try await pair.b.until("tags == 'urgent'", ["first"])
        } else {
            #expect(try await pair.b.paths("tags == 'urgent'").isEmpty)
        }
        #expect(try await pair.b.paths("xattr.private == 'x'").isEmpty)
        let kinds = try await pair.a.sharing("Check").list("findings").compactMap { $0["kind"] as? String }
        #expect(kinds == (carriesTags ? [] : ["oldVersion"]))
    }

    @Test func ignoredItemsAreNotShared() async throws {
        let pair = try await SyncPair()
        try pair.a.save("a.tmp", "x")
        try await pair.a.until("isUploaded == TRUE", ["first", "a.tmp"])
        try await pair.a.rest("POST", "/rest/db/ignores?folder=gather-box", ["ignore": ["*.tmp"]])
        try await pair.a.until("isUbiquitous == FALSE", ["a.tmp"])
        try pair.a.save("b.tmp", "x")
        try pair.a.save("c.txt", "x")
        try await pair.a.until("isUbiquitous == FALSE", ["a.tmp", "b.tmp"])
        try await pair.a.until("isUploaded == TRUE", ["first", "c.txt"])
        mkfifo(pair.a.box + "/pipe", 0o600)
        try await pair.a.until("isUbiquitous == FALSE", ["a.tmp", "b.tmp", "pipe"])
    }

    @Test func terminatedHelperEnds() async throws {
        let machine = try await SyncMachine("A")
        #expect(try await machine.end("gather-syncd").status == 0)
        #expect(access(machine.directory + "/helper", F_OK) != 0)
    }
}
