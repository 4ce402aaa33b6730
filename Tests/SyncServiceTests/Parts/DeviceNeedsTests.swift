// Files that other devices lack and fetch.
// SPDX-License-Identifier: Apache-2.0

import Syncthing
import Testing
import Varlink

@testable import SyncService

@Suite struct DeviceNeedsTests {
    private var needs = DeviceNeeds(["A", "B"])

    private static func record(_ name: String, deleted: Bool = false) throws -> FileRecord {
        let text = #"{"name": "\#(name)", "type": "FILE", "deleted": \#(deleted)}"#
        return try Array(text.utf8).withUnsafeBytes { bytes in
            try JSONReader.read(bytes) { (reader) throws(JSONError) in try FileRecord(from: &reader) }
        }
    }

    private mutating func takeAllDoubtful() -> [String] {
        var devices: [String] = []
        while let device = needs.takeDoubtful() { devices.append(device) }
        return devices.sorted()
    }

    @Test mutating func allDevicesAreInDoubtAtFirstAndAfterChanges() {
        #expect(needs.hasDoubts && takeAllDoubtful() == ["A", "B"] && !needs.hasDoubts)
        needs.doubtAll()
        #expect(takeAllDoubtful() == ["A", "B"])
        needs.lostEvents()
        #expect(takeAllDoubtful() == ["A", "B"])
    }

    @Test mutating func aDeviceLacksTheItemsOfTheLastAnswer() throws {
        needs.take([try Self.record("a"), try Self.record("b"), try Self.record("c", deleted: true)], device: "A")
        needs.take([try Self.record("d")], device: "B")
        #expect(needs.lacks("A", "a") && needs.lacks("A", "b") && needs.lacks("B", "d"))
        #expect(!needs.lacks("A", "c"), "a deletion is no item")
        #expect(!needs.lacks("B", "a") && !needs.lacks("C", "a"))
        #expect(needs.parts == ["a", "b", "d"])
        needs.take([], device: "A")
        #expect(needs.parts == ["d"] && !needs.lacks("A", "a"))
    }

    /// Syncthing counts deletions too, so another number than zero tells nothing of a device that lacks something already.
    @Test(arguments: [(0, false, false), (3, false, true), (0, true, true), (3, true, false)])
    mutating func aCountPutsADeviceInDoubtIfItBeginsOrEnds(count: Int64, lacks: Bool, isDoubtful: Bool) throws {
        _ = takeAllDoubtful()
        needs.take(lacks ? [try Self.record("a")] : [], device: "A")
        needs.note(missing: count, device: "A")
        needs.note(missing: 3, device: "strange")
        #expect(takeAllDoubtful() == (isDoubtful ? ["A"] : []))
    }

    @Test mutating func theFastestDeviceIsTheProgress() {
        needs.take(blocks: ["a": 10, "b": 5], device: "A")
        needs.take(blocks: ["a": 40], device: "B")
        needs.take(blocks: ["a": 90], device: "strange")
        #expect(needs.progress(of: "a", on: ["A", "B", "strange"]) == TransferProgress(done: 40, total: 0))
        #expect(needs.uncounted() == ["a", "b"])
        needs.note(blocks: 80, of: "a")
        #expect(needs.uncounted() == ["b"])
        #expect(needs.progress(of: "a", on: ["A", "B"]) == TransferProgress(done: 40, total: 80))
        #expect(needs.progress(of: "a", on: ["A"]) == TransferProgress(done: 10, total: 80))
        #expect(needs.progress(of: "b", on: ["B"]) == nil)
        needs.disconnected("B")
        #expect(needs.progress(of: "a", on: ["A", "B"]) == TransferProgress(done: 10, total: 80))
        needs.take(blocks: ["b": 6], device: "A")
        #expect(needs.progress(of: "a", on: ["A", "B"]) == nil)
        // A file that is fetched again may have another version.
        #expect(needs.uncounted() == ["b"])
        needs.take(blocks: ["a": 1], device: "A")
        #expect(needs.uncounted() == ["a"])
        needs.lostEvents()
        #expect(needs.progress(of: "a", on: ["A"]) == nil)
    }
}
