// Files that are evicted, are about to be, or are no more.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import SyncService

@Suite struct EvictionsTests {
    private let version = AbsentItem(size: 1, modified: 2)
    private let newer = AbsentItem(size: 3, modified: 4)
    private var evictions = Evictions()

    @Test mutating func aFileLeavesAndIsThenEvicted() {
        let call = evictions.begin(["a", "b"])
        #expect(evictions.isLeaving("a") && evictions.isLeaving("a", by: call) && !evictions.isEvicted("a"))
        evictions.finish("a", version)
        #expect(!evictions.isLeaving("a") && evictions.isEvicted("a") && evictions.version("a") == version)
        #expect(evictions.leavingParts == ["b"] && evictions.left(by: call) == ["b"])
        evictions.end(call)
        #expect(evictions.leavingParts.isEmpty && evictions.parts == ["a"] && !evictions.isEvicted("b"))
    }

    @Test mutating func callsHaveFilesOfTheirOwn() {
        let (first, second) = (evictions.begin(["a"]), evictions.begin(["b"]))
        #expect(!evictions.isLeaving("a", by: second) && !evictions.isLeaving("b", by: first))
        evictions.end(first)
        #expect(!evictions.isLeaving("a") && evictions.isLeaving("b", by: second))
        let third = evictions.begin(["a"])
        evictions.end(first)
        #expect(evictions.isLeaving("a", by: third), "the first call has ended before")
    }

    @Test mutating func filesComeBack() {
        evictions.add("a", version)
        evictions.add("b", version)
        evictions.update("a", newer)
        evictions.update("c", newer)
        #expect(evictions.version("a") == newer && evictions.version("b") == version && !evictions.isEvicted("c"))
        evictions.remove(["a", "c"])
        #expect(evictions.parts == ["b"] && evictions.version("a") == nil)
    }

    @Test mutating func versionsAreInDoubtIfThereAreAny() {
        evictions.doubtVersions()
        #expect(!evictions.hasDoubts)
        evictions.add("a", version)
        evictions.doubtVersions()
        #expect(evictions.hasDoubts && evictions.takeDoubt() == true)
        #expect(!evictions.hasDoubts && evictions.takeDoubt() == false)
    }

    /// A pattern of a file that is leaving is one that its call has just added.
    @Test mutating func patternsAreComparedWithAllButTheFilesThatAreLeaving() {
        evictions.add("both", version)
        evictions.add("here alone", version)
        _ = evictions.begin(["leaving", "not written yet"])
        let (unnamed, strange) = evictions.differences(from: ["both", "leaving", "pattern alone"])
        #expect(unnamed == ["here alone"] && strange == ["pattern alone"])
    }

    @Test mutating func aFailureOfTheListIsToldOnce() {
        #expect(evictions.note(listFailure: nil) == false)
        #expect(evictions.note(listFailure: "full") == true)
        #expect(evictions.note(listFailure: "full") == false)
        #expect(evictions.listFailure == "full")
        #expect(evictions.note(listFailure: "read-only") == true)
        #expect(evictions.note(listFailure: nil) == true)
        #expect(evictions.listFailure == nil)
    }

    @Test mutating func listsOfOtherDevicesTellTheirFiles() throws {
        let folder = NSTemporaryDirectory() + "gather-evictions-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try EvictedList.write(["a", "b"], of: "AAAAAAA", in: folder)
        try EvictedList.write(["b", "c"], of: "BBBBBBB", in: folder)
        #expect(!evictions.mayBeEvicted("a", on: "AAAAAAA"))
        evictions.take(elsewhere: EvictedList.all(in: folder, but: "CCCCCCC"))
        #expect(evictions.mayBeEvicted("a", on: "AAAAAAA") && !evictions.mayBeEvicted("a", on: "BBBBBBB"))
        #expect(!evictions.mayBeEvicted("a", on: nil) && !evictions.mayBeEvicted("a", on: "DDDDDDD"))
        #expect(evictions.partsElsewhere == ["a", "b", "c"] && evictions.parts.isEmpty)
        evictions.take(elsewhere: [:])
        #expect(!evictions.mayBeEvicted("a", on: "AAAAAAA") && evictions.partsElsewhere.isEmpty)
    }

    @Test mutating func nothingIsKnownAtFirst() {
        #expect(!evictions.isKnown)
        evictions.setKnown()
        #expect(evictions.isKnown)
    }
}
