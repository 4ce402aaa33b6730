// Sharing containers through io.gatherd.Sharing.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Testing

@Suite(.serialized, .enabled(if: SyncMachine.isInstalled, "syncthing is not installed"))
struct SharingTests {
    @Test func statusTellsDevicesAndFolders() async throws {
        let pair = try await SyncPair()
        // The list of what A saved is no item.
        let list = ".gather-sync/saved-\(pair.a.device.prefix(7))"
        while access(pair.b.box + "/" + list, F_OK) != 0 { await Task.yield() }
        let status = try await pair.a.sharing("Status")
        #expect(status.parameters["running"] as? Bool == true)
        let devices = status.list("devices")
        #expect(devices.map { $0["name"] as? String } == ["A", "B"])
        #expect(devices.map { $0["here"] as? Bool } == [true, false])
        #expect(devices.map { $0["connected"] as? Bool } == [true, true])
        let folder = try #require(status.list("folders").first)
        #expect(folder["identifier"] as? String == "gather-box")
        #expect(folder["container"] as? String == "box")
        #expect(folder["path"] as? String == pair.a.box)
        #expect(folder["items"] as? Int == 1)
        let share = try #require((folder["shares"] as? [[String: Any]])?.first)
        #expect(share["device"] as? String == pair.b.device)
        #expect(share["completion"] as? Double == 100)

        // The list of the save is not there either.
        try await pair.b.end("syncthing")
        try pair.a.save("second", "x")
        while try await !pair.a.lacking(pair.b).contains("second") { await Task.yield() }
        let size = {
            (try? String(contentsOfFile: pair.a.box + "/" + list, encoding: .utf8))?.split(separator: "\n").count
        }
        while size() != 2 { await Task.yield() }
        func missing() async throws -> [Int?] {
            let share = (try await pair.a.sharing("Status").list("folders").first?["shares"] as? [[String: Any]])?.first
            return [share?["missing"] as? Int, share?["missingBytes"] as? Int]
        }
        // The list may not be scanned yet.
        #expect(try await missing() == [1, 1])
    }

    /// A folder that pulls does not scan, so documents have a folder of their own.
    @Test func documentsHaveAFolderOfTheirOwn() async throws {
        let machine = try await SyncMachine("A")
        try machine.save("Documents/letter", "x")
        try machine.save("Data/cache", "x")
        let shared = try await machine.sharing("Share", ["container": "box", "devices": [String]()])
        #expect(
            Set(shared.list("folders").compactMap { $0["identifier"] as? String })
                == ["gather-box", "gather-box-documents"])
        // The root of a folder is no item of it.
        try await machine.until("isUploaded == FALSE", ["Documents", "Documents/letter", "Data", "Data/cache"])
        func names(_ folder: String) async throws -> [String] {
            let tree = try await machine.rest("GET", "/rest/db/browse?folder=\(folder)") as? [[String: Any]] ?? []
            return tree.compactMap { $0["name"] as? String }.filter { $0 != ".gather-sync" }
        }
        #expect(try await names("gather-box") == ["Data"])
        #expect(try await names("gather-box-documents") == ["letter"])
    }

    @Test func mistakesInTheSettingsAreFound() async throws {
        let pair = try await SyncPair()
        func kinds() async throws -> Set<String> {
            Set(try await pair.a.sharing("Check").list("findings").compactMap { $0["kind"] as? String })
                .subtracting(["oldVersion"])
        }
        #expect(try await kinds() == [])
        // A file whose copy is elsewhere is ignored by Syncthing, which is no mistake.
        #expect(try await pair.a.sharing("Evict", ["paths": [pair.a.box + "/first"]]).error == nil)
        #expect(try await kinds() == [])
        #expect(try await pair.a.sharing("Download", ["paths": [pair.a.box + "/first"]]).error == nil)
        // A machine whose clock is a day ahead.
        try pair.b.save("tomorrow", "saved on B")
        try FileManager.default.setAttributes(
            [.modificationDate: Date().addingTimeInterval(86_400)], ofItemAtPath: pair.b.box + "/tomorrow")
        try await pair.a.until("modified > $time.now(3600) AND name == 'tomorrow'", ["tomorrow"])
        try await pair.a.until("savingDevice == 'B' AND name == 'tomorrow'", ["tomorrow"])
        let clock = try await pair.a.sharing("Check").list("findings").first { $0["kind"] as? String == "clock" }
        #expect(
            clock?["message"] as? String == pair.a.box
                + "/tomorrow was changed in the future; the clock of B, which saved "
                + "it, or of this device is wrong, and the later of two versions in conflict wins")
        try await pair.a.rest(
            "PATCH", "/rest/config/folders/gather-box",
            ["maxConflicts": 10, "caseSensitiveFS": false, "fsWatcherEnabled": true])
        try await pair.a.rest("POST", "/rest/db/ignores?folder=gather-box", ["ignore": ["*.tmp"]])
        // The settings are read again at Syncthing's event.
        while try await kinds() != ["maxConflicts", "caseSensitive", "ownWatcher", "ignored", "clock"] {
            await Task.yield()
        }
        try FileManager.default.removeItem(atPath: pair.a.box + "/.stfolder")
        while try await !kinds().contains("marker") {
            // The scan fails, and its answer is an error.
            _ = try? await pair.a.rest("POST", "/rest/db/scan?folder=gather-box")
        }
        try await pair.a.until("isUploaded == TRUE", [])
    }

    @Test func unsharedContainerKeepsItsFiles() async throws {
        let pair = try await SyncPair()
        #expect(try await pair.a.sharing("Unshare", ["container": "box", "devices": ["B"]]).error == nil)
        try await pair.a.until("isUploaded == FALSE", ["first"])
        #expect(try await pair.a.sharing("Share", ["container": "box", "devices": ["B"]]).error == nil)
        try await pair.a.until("isUploaded == TRUE", ["first"])
        #expect(try await pair.a.sharing("Unshare", ["container": "box"]).error == nil)
        try await pair.a.until("isUploaded == TRUE OR isUploaded == FALSE", [])
        #expect(try await pair.a.paths("") == ["first"])
        #expect((try await pair.a.rest("GET", "/rest/config/folders") as? [Any])?.isEmpty == true)
        // Else the removed device asks to connect, and is listed as one that does.
        try await pair.b.end("syncthing")
        #expect(try await pair.a.sharing("RemoveDevice", ["device": "B"]).error == nil)
        #expect(try await pair.a.sharing("Status").list("devices").count == 1)
    }

    @Test func wrongNamesAreErrors() async throws {
        let machine = try await SyncMachine("A")
        func error(_ method: String, _ parameters: [String: Any]) async throws -> String? {
            try await machine.sharing(method, parameters).error
        }
        #expect(try await error("Share", ["container": "none", "devices": [String]()]) == "NoSuchContainer")
        #expect(try await error("Share", ["container": "box", "devices": ["nobody"]]) == "NoSuchDevice")
        #expect(try await error("Unshare", ["container": "box"]) == "NotShared")
        #expect(try await error("AddDevice", ["device": "nonsense"]) == "InvalidDevice")
        #expect(try await error("AddDevice", ["device": machine.device]) == "InvalidDevice")
        #expect(try await error("RemoveDevice", ["device": "B"]) == "NoSuchDevice")
    }
}
