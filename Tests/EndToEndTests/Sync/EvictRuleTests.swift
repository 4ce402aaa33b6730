// The rules of gather-sync(7) about evicted files, full disks and folders that meet, between two real Syncthings.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: SyncMachine.isInstalled, "syncthing is not installed"))
struct EvictRuleTests {
    private static func text(_ machine: SyncMachine, _ path: String) -> String? {
        try? String(contentsOfFile: machine.box + "/" + path, encoding: .utf8)
    }

    /// Two machines with these files, which B has evicted.
    private func pair(evicted: [String], kept: [String] = []) async throws -> SyncPair {
        let pair = try await SyncPair()
        for file in evicted + kept { try pair.a.save(file, "the text of \(file)") }
        let all = Set(evicted + kept)
        try await pair.b.until(
            "downloadingStatus == 'current' AND isUploaded == TRUE AND depth > 1 AND kind == 'file'", all)
        let answer = try await pair.b.sharing("Evict", ["paths": evicted.map { pair.b.box + "/" + $0 }])
        #expect(answer.error == nil, "\(answer)")
        try await pair.b.until("downloadingStatus == 'notDownloaded'", Set(evicted))
        return pair
    }

    /// Waits until the only document with versions in conflict is this one, and all that it needs is here.
    private func untilInConflict(_ machine: SyncMachine, _ path: String) async throws {
        try await machine.until("hasUnresolvedConflicts == TRUE AND kind == 'file'", [path])
        // The version may be an item before it has come.
        try await machine.until("downloadingStatus == 'notDownloaded'", [])
    }

    // MARK: A save that was killed

    private struct Text: DocumentContents {
        var bytes: [UInt8]
        init(bytes: [UInt8]) { self.bytes = bytes }
    }

    /// It may be older than the version on other devices. A program that opened the document once gave it the name.
    @Test func aKilledSaveDoesNotTakeTheNameOfAnEvictedDocument() async throws {
        let pair = try await pair(evicted: ["d/note.txt"])
        let b = pair.b
        try Data("older".utf8).write(to: URL(filePath: b.box + "/d/.syncthing.gather-note.txt.tmp"))
        let options = DocumentOptions(
            daemonTimeout: Patience.duration, daemon: .at(path: b.socket.path, sharing: b.directory + "/helper"))
        let note = Document<Text>(path: FilePath(b.box + "/d/note.txt"), options: options)
        try await note.open()
        #expect(try await note.contents.bytes == Array("the text of d/note.txt".utf8))
        #expect(note.state == .inConflict)
        let versions = try FileVersion.conflicts(of: FilePath(b.box + "/d/note.txt"))
        #expect(try versions.map { try $0.contents() } == [Array("older".utf8)])
        try await note.close()
        try await pair.a.until("hasUnresolvedConflicts == TRUE AND kind == 'file'", ["d/note.txt"])
        #expect(Self.text(pair.a, "d/note.txt") == "the text of d/note.txt")
    }

    // MARK: The last copy

    @Test func twoThatEvictAtOnceKeepACopy() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        try a.save("d/f", "the text")
        for round in 0..<4 {
            for machine in [a, b] {
                try await machine.until(
                    "downloadingStatus == 'current' AND isUploaded == TRUE AND name == 'f'", ["d/f"])
            }
            async let first = a.sharing("Evict", ["paths": [a.box + "/d/f"]])
            async let second = b.sharing("Evict", ["paths": [b.box + "/d/f"]])
            let errors = try await [first.error, second.error]
            #expect(errors.contains("NotUploaded"), "round \(round): \(errors)")
            #expect([Self.text(a, "d/f"), Self.text(b, "d/f")].contains("the text"), "round \(round)")
            for (machine, error) in zip([a, b], errors) where error == nil {
                let downloaded = try await machine.sharing("Download", ["paths": [machine.box + "/d/f"]])
                #expect(downloaded.error == nil, "round \(round): \(downloaded)")
            }
            #expect(Self.text(a, "d/f") == "the text" && Self.text(b, "d/f") == "the text", "round \(round)")
        }
    }

    /// As after two evictions at once, of which one is taken back.
    @Test func aDownloadWaitsForADeviceThatIgnoresTheFileForAMoment() async throws {
        let pair = try await pair(evicted: ["d/f"])
        let (a, b) = (pair.a, pair.b)
        // Syncthing keeps the events of a subscription, which begins with its first call.
        func events(_ name: String, _ seconds: Int) async throws -> String {
            "\(try await b.rest("GET", "/rest/events?events=\(name)&since=0&timeout=\(seconds)"))"
        }
        func ignore(_ patterns: [String]) async throws {
            _ = try await a.rest("POST", "/rest/db/ignores?folder=gather-box", ["ignore": patterns])
        }
        for name in ["RemoteIndexUpdated", "LocalIndexUpdated"] { _ = try await events(name, 0) }
        try await ignore(["/d/f"])
        #expect(try await events("RemoteIndexUpdated", 600).contains("gather-box"))
        async let download = b.sharing("Download", ["paths": [b.box + "/d/f"]])
        #expect(try await events("LocalIndexUpdated", 600).contains("gather-box"))
        try await ignore([])
        let downloaded = try await download
        #expect(downloaded.error == nil, "\(downloaded)")
        for machine in [a, b] { #expect(Self.text(machine, "d/f") == "the text of d/f") }
    }

    @Test func namesWithoutAPatternAreRefused() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        let names = ["two\nlines", "a return\r"]
        for name in names { try a.save("d/" + name, "x") }
        try await b.until(
            "downloadingStatus == 'current' AND isUploaded == TRUE AND depth == 2", Set(names.map { "d/" + $0 }))
        for name in names {
            let refused = try await b.sharing("Evict", ["paths": [b.box + "/d/" + name]])
            #expect(refused.error == "Failed" && Self.text(b, "d/" + name) == "x", "\(refused)")
        }
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: a.box + "/d")) == Set(names))
    }

    // MARK: Names that change

    @Test func aFileThatAnotherDeviceRenamesIsFetched() async throws {
        let pair = try await pair(evicted: ["d/f"])
        let (a, b) = (pair.a, pair.b)
        try Change.rename(a.box + "/d/f", a.box + "/d/g")
        try await b.until("downloadingStatus == 'current' AND depth == 2 AND path CONTAINS '/d/'", ["d/g"])
        try await b.until("name == 'f'", [])
        for machine in [a, b] { #expect(Self.text(machine, "d/g") == "the text of d/f") }
    }

    @Test func aDirectoryThatAnotherDeviceRenamesIsFetched() async throws {
        let pair = try await pair(evicted: ["d/f"], kept: ["d/g"])
        let (a, b) = (pair.a, pair.b)
        try Change.rename(a.box + "/d", a.box + "/e")
        try await b.until("downloadingStatus == 'current' AND path CONTAINS '/e/'", ["e/f", "e/g"])
        try await b.until("path CONTAINS '/d/' OR name == 'd'", [])
        for machine in [a, b] {
            #expect(Self.text(machine, "e/f") == "the text of d/f" && Self.text(machine, "e/g") == "the text of d/g")
        }
    }

    @Test func aDirectoryThatIsRenamedHereLeavesEvictedFilesElsewhere() async throws {
        let pair = try await pair(evicted: ["d/f"], kept: ["d/g"])
        let (a, b) = (pair.a, pair.b)
        try Change.rename(b.box + "/d", b.box + "/e")
        try await a.until("downloadingStatus == 'current' AND path CONTAINS '/e/'", ["e/g"])
        #expect(Self.text(a, "d/f") == "the text of d/f")
        // It comes back under the name that the others know.
        let downloaded = try await b.sharing("Download", ["paths": [b.box]])
        #expect(downloaded.error == nil, "\(downloaded)")
        #expect(Self.text(b, "d/f") == "the text of d/f" && Self.text(b, "e/g") == "the text of d/g")
    }

    @Test func aFileThatIsSavedAtAnEvictedNameIsAVersion() async throws {
        let pair = try await pair(evicted: ["d/f"])
        let (a, b) = (pair.a, pair.b)
        try b.save("d/f", "a new text")
        try await b.until("downloadingStatus == 'notDownloaded'", [])
        for machine in [a, b] {
            try await untilInConflict(machine, "d/f")
            let names = try FileManager.default.contentsOfDirectory(atPath: machine.box + "/d")
            #expect(Set(names.compactMap { Self.text(machine, "d/" + $0) }) == ["a new text", "the text of d/f"])
        }
    }

    // MARK: Full disks

    /// Two machines. The container of B is a disk of some megabytes, which the test unmounts.
    private func pair(megabytes: Int) async throws -> SyncPair {
        async let first = SyncMachine("A")
        async let second = SyncMachine("B") { box in
            try #require(mount("none", box, "tmpfs", 0, "size=\(megabytes)m") == 0, "\(errno)")
        }
        return try await SyncPair(first, second)
    }

    @Test(.needsRoot("mounts")) func aDownloadLargerThanTheDiskIsRefused() async throws {
        let pair = try await pair(megabytes: 8)
        let (a, b) = (pair.a, pair.b)
        defer { umount2(b.box, CInt(MNT_DETACH)) }
        try a.save("d/large", Data(repeating: 1, count: 5 << 20))
        try await b.until("downloadingStatus == 'current' AND isUploaded == TRUE AND depth == 2", ["d/large"])
        let evicted = try await b.sharing("Evict", ["paths": [b.box + "/d/large"]])
        #expect(evicted.error == nil, "\(evicted)")
        try Data(repeating: 2, count: 6 << 20).write(to: URL(filePath: b.box + "/.stfolder/filler"))
        let refused = try await b.sharing("Download", ["paths": [b.box + "/d/large"]])
        #expect(refused.error == "Failed", "\(refused)")
        #expect((refused.parameters["message"] as? String)?.contains("there is no room") == true, "\(refused)")
        try await b.until("downloadingStatus == 'notDownloaded'", ["d/large"])
        unlink(b.box + "/.stfolder/filler")
        let downloaded = try await b.sharing("Download", ["paths": [b.box + "/d/large"]])
        #expect(downloaded.error == nil, "\(downloaded)")
        #expect(try Data(contentsOf: URL(filePath: b.box + "/d/large")).count == 5 << 20)
    }

    @Test(.needsRoot("mounts")) func aPullStartsAgainWhenThereIsRoom() async throws {
        let pair = try await pair(megabytes: 4)
        let (a, b) = (pair.a, pair.b)
        defer { umount2(b.box, CInt(MNT_DETACH)) }
        // By itself, Syncthing would try again in this time.
        _ = try await b.rest("PATCH", "/rest/config/folders/gather-box", ["pullerPauseS": 3_601])
        // Subscribed before, and so kept by Syncthing.
        let events = "/rest/events?events=FolderErrors&since=0&timeout="
        _ = try await b.rest("GET", events + "0")
        // Each file that comes is one more attempt, and so would be the helper's list of what A saved.
        _ = try await a.end(Product.helper.rawValue)
        try a.save("d/large", Data(repeating: 1, count: 9 << 20))
        try await a.rest("POST", "/rest/db/scan?folder=gather-box")
        try await b.until("downloadingError CONTAINS 'insufficient space'", ["d/large"])
        // A pull has several attempts. This one comes after the last.
        let ended = try await b.rest("GET", events + "600")
        #expect((ended as? [Any])?.isEmpty == false, "\(ended)")
        #expect(mount("none", b.box, "tmpfs", UInt(MS_REMOUNT), "size=32m") == 0)
        try await b.until("downloadingStatus == 'current' AND name == 'large'", ["d/large"])
        #expect(try Data(contentsOf: URL(filePath: b.box + "/d/large")).count == 9 << 20)
        // The user's own pause is as long as before, or a second longer.
        let settings = try await b.rest("GET", "/rest/config/folders/gather-box") as? [String: Any]
        #expect([3_601, 3_602].contains(settings?["pullerPauseS"] as? Int), "\(String(describing: settings))")
        let helper = try await b.end(Product.helper.rawValue)
        #expect(helper.errors.contains("are tried again"), "\(helper.errors)")
    }

    /// The removal of files makes room, and keeps Syncthing busy with scans. It may try by itself after one.
    @Test(.needsRoot("mounts")) func roomThatIsMadeInTheContainerIsUsed() async throws {
        let pair = try await pair(megabytes: 12)
        let (a, b) = (pair.a, pair.b)
        defer { umount2(b.box, CInt(MNT_DETACH)) }
        let names = (0..<300).map { "d/\($0)" }
        for name in names { try a.save(name, Data(repeating: 3, count: 20_000)) }
        let isHere = "downloadingStatus == 'current' AND isUploaded == TRUE AND kind == 'file' AND path CONTAINS '/d/'"
        try await b.until(isHere, Set(names))
        try a.save("large", Data(repeating: 1, count: 9 << 20))
        try await b.until("downloadingError CONTAINS 'insufficient space'", ["large"])
        let refused = try await b.sharing("Download", ["paths": [b.box + "/large"]])
        #expect(refused.error == "Failed", "\(refused)")
        #expect((refused.parameters["message"] as? String)?.contains("there is no room") == true, "\(refused)")
        for name in names { unlink(b.box + "/" + name) }
        let downloaded = try await b.sharing("Download", ["paths": [b.box + "/large"]])
        #expect(downloaded.error == nil, "\(downloaded)")
        #expect(try Data(contentsOf: URL(filePath: b.box + "/large")).count == 9 << 20)
        try await a.until("path CONTAINS '/d/'", [])
        // One session saw all of it.
        let helper = try await b.end(Product.helper.rawValue)
        #expect(helper.errors.components(separatedBy: "are known").count == 2, "\(helper.errors)")
    }

    // MARK: Folders that part and meet

    @Test func filesThatAreEvictedStayElsewhereWhenSharingEnds() async throws {
        let pair = try await pair(evicted: ["d/f"], kept: ["d/g"])
        let (a, b) = (pair.a, pair.b)
        let ended = try await b.sharing("Unshare", ["container": "box"])
        #expect(ended.error == nil, "\(ended)")
        // The states are unknown from then on.
        try await b.until("isUbiquitous == TRUE", [])
        #expect(Self.text(a, "d/f") == "the text of d/f" && Self.text(a, "d/g") == "the text of d/g")
        #expect(Self.text(b, "d/f") == nil && Self.text(b, "d/g") == "the text of d/g")
        // It is fetched when the container is shared again.
        let shared = try await b.sharing("Share", ["container": "box", "devices": ["A"]])
        #expect(shared.error == nil, "\(shared)")
        try await b.until("downloadingStatus == 'current' AND path CONTAINS '/d/'", ["d/f", "d/g"])
        try await a.until("isUploaded == TRUE AND path CONTAINS '/d/'", ["d/f", "d/g"])
        for machine in [a, b] { #expect(Self.text(machine, "d/f") == "the text of d/f") }
    }

    @Test func foldersThatHoldFilesAreJoined() async throws {
        func machine(_ name: String) async throws -> SyncMachine {
            try await SyncMachine(name) { box in
                for (file, text) in [("same", "the same"), ("other", "of \(name)"), ("only \(name)", "x")] {
                    try Data(text.utf8).write(to: URL(filePath: box + "/" + file))
                }
            }
        }
        async let first = machine("A")
        async let second = machine("B")
        let pair = try await SyncPair(first, second)
        for machine in [pair.a, pair.b] {
            try await machine.until(
                "isConflictVersion == FALSE AND isUploaded == TRUE", ["first", "same", "other", "only A", "only B"])
            try await untilInConflict(machine, "other")
            let names = try FileManager.default.contentsOfDirectory(atPath: machine.box)
            let texts = names.filter { $0.hasPrefix("other") }.compactMap { Self.text(machine, $0) }
            #expect(Set(texts) == ["of A", "of B"])
        }
    }
}
