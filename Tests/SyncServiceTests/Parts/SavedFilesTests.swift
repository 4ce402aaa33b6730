// Files that this device may have saved, the newest first.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct SavedFilesTests {
    private var saved = SavedFiles()

    private mutating func all() -> [String] {
        var found: [String] = []
        while let (part, isDetected) = saved.next() { found.append(isDetected ? part + " detected" : part) }
        return found
    }

    @Test mutating func theNewestIsReadFirst() {
        _ = saved.add("old", modified: 1, isDetected: false)
        _ = saved.add("new", modified: 3, isDetected: true)
        _ = saved.add("middle", modified: 2, isDetected: false)
        // Saved again. Syncthing told of it once.
        _ = saved.add("old", modified: 4, isDetected: true)
        _ = saved.add("old", modified: 5, isDetected: false)
        #expect(all() == ["old detected", "new detected", "middle"])
        _ = saved.add("new", modified: 6, isDetected: false)
        #expect(all() == ["new"])
    }

    @Test mutating func oneTaskReadsAllFiles() {
        #expect(saved.add("a", modified: 1, isDetected: false) == true)
        #expect(saved.add("b", modified: 2, isDetected: false) == false)
        #expect(saved.next()?.part == "b")
        #expect(saved.add("c", modified: 3, isDetected: false) == false)
        #expect(all() == ["c", "a"])
        #expect(saved.add("d", modified: 4, isDetected: false) == true, "the task has ended")
    }

    @Test mutating func ofTooManyTheNewestAreKept() {
        let count = 2 * SyncLimits.waitingFiles
        for number in 0...count { _ = saved.add("\(number)", modified: Int64(number), isDetected: true) }
        #expect(all() == (0..<SyncLimits.waitingFiles).map { "\(count - $0) detected" })
        _ = saved.add("0", modified: 0, isDetected: false)
        #expect(all() == ["0"])
    }
}
