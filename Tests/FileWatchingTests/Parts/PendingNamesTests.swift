// Names that wait: which queue they wait in, and for how long.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite final class PendingNamesTests {
    private var names = PendingNames()
    private var iteration = LoopIteration()
    private let buffer: UnsafeMutableRawBufferPointer = .allocate(byteCount: 256, alignment: 8)
    private let directory = DirectoryID(slot: 0, generation: 0)

    deinit { buffer.deallocate() }

    private func change(
        _ name: String, in directory: DirectoryID? = nil, position: UInt64 = 1, forced: UInt64 = 0
    ) -> Bool {
        let directory = directory ?? self.directory
        return Array(name.utf8).withUnsafeBytes {
            names.addChanged(
                $0, in: directory, origin: Origin(position: position), forced: forced, interval: 10, slots: 8, iteration
            )
        }
    }

    private func take() -> String? {
        guard let entry = names.take(into: buffer) else { return nil }
        names.lookedAt(entry, now: iteration.began, interval: 10)
        return String(decoding: buffer[..<Int(entry.length)], as: UTF8.self)
    }

    /// Looks at one entry until it is hot.
    private func heat(_ name: String) {
        for time in UInt64(1)...UInt64(HotEntries.threshold) {
            iteration.begin(at: time, budget: 1)
            #expect(!change(name) && take() == name)
        }
    }

    @Test func anEntryThatChangesAllTheTimeWaits() {
        heat("log")
        #expect(change("log") && names.hotDeadline == UInt64(HotEntries.threshold) + 10)
        #expect(names.isEmpty && names.countOfAll == 1 && names.countOfCold == 0)
        #expect(change("log"), "it merges with the one that waits")
        #expect(names.countOfAll == 1)
        names.releaseHot(now: 11, forced: 0, buffer: buffer)
        #expect(names.isEmpty, "its time has not come")
        names.releaseHot(now: 18, forced: 0, buffer: buffer)
        #expect(take() == "log" && names.hotDeadline == nil)
    }

    @Test func aBarrierWaitsForHotNames() {
        heat("log")
        #expect(change("log", position: 5))
        #expect(names.leastPosition == 5)
        #expect(names.waits(before: 6) { _ in true } && !names.waits(before: 5) { _ in true })
        #expect(!names.waits(before: 6) { _ in false }, "those of other containers are none of its own")
        names.releaseHot(now: 9, forced: 6, buffer: buffer)
        #expect(take() == "log")
        #expect(!change("log", position: 3, forced: 6), "what it waits for is looked at at once")
        #expect(names.leastPosition == 3 && take() == "log" && names.leastPosition == .max)
    }

    @Test func aChangeElsewherePassesABurst() {
        iteration.begin(at: 1, budget: 1)
        for number in 0..<WatchLimits.promptLookUps + 100 { #expect(!change("f\(number)")) }
        #expect(names.count == WatchLimits.promptLookUps + 1, "one of the directory is let past in each iteration")
        #expect(names.hasPatient)
        let other = DirectoryID(slot: 1, generation: 0)
        #expect(!change("mail", in: other))
        #expect(names.count == WatchLimits.promptLookUps + 2)
        var taken: [String] = []
        while let name = take() { taken.append(name) }
        #expect(taken.last == "mail")
        let end = names.endOfPatient
        while names.takePatient(into: buffer) != nil {}
        #expect(names.takenPatient == end && names.countOfAll == 0)
    }
}
