// Events of Syncthing that a test cannot easily cause.
// SPDX-License-Identifier: Apache-2.0

import Syncthing
import Testing
import Varlink

@Suite struct SyncthingEventTests {
    private func content(_ type: String, _ data: String) throws -> SyncthingEvent.Content {
        let text = "{\"id\":7,\"globalID\":9,\"time\":\"t\",\"type\":\"\(type)\",\"data\":\(data)}"
        let event = try JSONBytes(text).read { (reader) throws(JSONError) in try SyncthingEvent(from: &reader) }
        #expect(event.number == 7)
        return event.content
    }

    @Test func progressOfDownloads() throws {
        let data = """
            {"f":{"a/b":{"total":3,"reused":0,"pulled":1,"pulling":1,"bytesDone":131072,"bytesTotal":393216},"c":{}},"g":null}
            """
        let progress = try content("DownloadProgress", data)
        #expect(
            progress
                == .downloadProgress([
                    "f": [
                        "a/b": TransferProgress(done: 131_072, total: 393_216),
                        "c": TransferProgress(done: 0, total: 0),
                    ],
                    "g": [:],
                ]))
        #expect(try content("DownloadProgress", "{}") == .downloadProgress([:]))
    }

    @Test func percentStaysInBounds() {
        #expect(TransferProgress(done: 1, total: 3).percent == 33)
        #expect(TransferProgress(done: 5, total: 0).percent == 0)
        #expect(TransferProgress(done: .max, total: 1).percent == 100)
        #expect(TransferProgress(done: .min, total: .max).percent == 0)
        #expect(TransferProgress(done: .max, total: .max).percent == 100)
    }

    @Test func progressOfOtherDevices() throws {
        #expect(
            try content("RemoteDownloadProgress", "{\"device\":\"D\",\"folder\":\"f\",\"state\":{\"a\":12}}")
                == .remoteDownloadProgress(folder: "f", device: "D", blocks: ["a": 12]))
    }

    @Test func errorsOfItems() throws {
        #expect(
            try content(
                "ItemFinished", "{\"item\":\"a\",\"folder\":\"f\",\"error\":\"no space left\",\"action\":\"update\"}")
                == .itemFinished(folder: "f", path: "a", error: "no space left"))
        let errors = try content("FolderErrors", "{\"folder\":\"f\",\"errors\":[{\"path\":\"a\",\"error\":\"e\"}]}")
        guard case .folderErrors("f", let list) = errors else {
            Issue.record("\(errors)")
            return
        }
        #expect(list.map(\.path) == ["a"] && list.map(\.message) == ["e"])
    }

    @Test func changesByDevices() throws {
        let data = """
            {"action":"modified","folder":"f","folderID":"f","label":"","modifiedBy":"YMGWDOY","path":"a","type":"file"}
            """
        let expected = SyncthingEvent.Content.changeDetected(folder: "f", path: "a", modifiedBy: "YMGWDOY")
        #expect(try content("RemoteChangeDetected", data) == expected)
        #expect(try content("LocalChangeDetected", data) == expected)
    }

    /// Later versions may have other types, and other fields.
    @Test(arguments: ["{}", "null", "[]"]) func unknownTypesAreOfNoInterest(data: String) throws {
        if data == "[]" {
            #expect(throws: JSONError.self) { try content("LocalIndexUpdated", data) }
        } else {
            #expect(try content("LocalIndexUpdated", data) == .other)
            #expect(try content("Brand", data) == .other)
        }
    }

    @Test func hugeCountsDoNotTrap() throws {
        let data =
            "{\"folder\":\"f\",\"device\":\"D\",\"needItems\":9223372036854775807,\"needDeletes\":9223372036854775807}"
        #expect(try content("FolderCompletion", data) == .folderCompletion(folder: "f", device: "D", missing: .max))
    }
}
