// The progress of files that come, under events of Syncthing in their order.
// SPDX-License-Identifier: Apache-2.0

import Syncthing
import Testing

@testable import SyncService

struct FolderProgressTests {
    private let place = FolderPlace(
        folder: "f", prefix: "", directory: "/box", isPaused: false, isSending: true, devices: ["D": "D"])

    @Test func progressOfAVersionNeverFalls() {
        var folder = FolderState(place)
        var told: [Int64?] = []
        func note() { told.append(folder.progress["a"]?.percent) }
        folder.begin("a")
        note()
        for done: Int64 in [10, 40, 30, 80] {
            folder.take(["a": TransferProgress(done: done, total: 100), "b": TransferProgress(done: 1, total: 2)])
            note()
        }
        // All blocks are here, and Syncthing tells of another file only.
        folder.take(["b": TransferProgress(done: 1, total: 2)])
        note()
        folder.finish("a", isComplete: true)
        note()
        // Its database has the version, and the list of what is missing may be older.
        folder.started.remove("a")
        folder.isNeedDoubtful = true
        folder.forgetProgress()
        note()
        #expect(told == [nil, 10, 40, 40, 80, 80, 100, 100])
        folder.isNeedDoubtful = false
        folder.forgetProgress()
        #expect(folder.progress["a"] == nil)
    }

    @Test func aNewVersionBeginsAnew() {
        var folder = FolderState(place)
        folder.begin("a")
        folder.take(["a": TransferProgress(done: 90, total: 100)])
        folder.begin("a")
        #expect(folder.progress["a"] == nil && folder.isUnderWay("a"))
        folder.take(["a": TransferProgress(done: 5, total: 100)])
        #expect(folder.progress["a"]?.percent == 5)
        folder.finish("a", isComplete: false)
        #expect(folder.progress["a"] == nil && !folder.isUnderWay("a"))
    }

    @Test func anOldErrorIsNotThatOfAFileThatComes() {
        var folder = FolderState(place)
        folder.errors = ["a": "no room", "b": "no room"]
        folder.begin("a")
        folder.errors["a"] = nil
        // Syncthing tells the errors of the fetching before until this one ends.
        let told = ["a", "b"].map { FolderError(path: $0, message: "no room") }
        folder.take(told)
        #expect(folder.errors == ["b": "no room"])
        folder.finish("a", isComplete: true)
        folder.take(told)
        #expect(folder.errors == ["b": "no room"])
        // It has failed again.
        folder.begin("a")
        folder.finish("a", isComplete: false)
        folder.take(told)
        #expect(folder.errors == ["a": "no room", "b": "no room"])
    }
}
