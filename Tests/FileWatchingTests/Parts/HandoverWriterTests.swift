// The words to the next process: differences only, and nothing before the work under way.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import FileWatching

@Suite struct HandoverWriterTests {
    private let memory: HandoverMemory
    private var writer: HandoverWriter

    init() throws {
        memory = try HandoverMemory()
        memory.begin(run: 7, fingerprint: 2)
        writer = HandoverWriter(memory: memory)
    }

    private static func entry(_ slot: Int32, isComplete: Bool = true) -> HandoverEntry {
        HandoverEntry(watch: slot + 1, depth: 1, isComplete: isComplete, device: 1, inode: UInt64(slot) + 10, key: 5)
    }

    /// Reads what the next process finds with a journal that ends at a number.
    private func start(_ sequence: UInt64) throws -> HandoverStart {
        try memory.start(run: 7, sequence: sequence, fingerprint: 2)
    }

    private mutating func writeAll(_ sequence: UInt64, slots: [Int32]) {
        writer.note(slots, of: 4)
        writer.write(IterationState(), sequence: sequence)
        writer.write { Self.entry($0) }
        writer.write(.exact, of: 1, key: 5)
        writer.write([Mount(number: 1, path: Array("/".utf8))])
    }

    @Test mutating func outdatedWordsAreTakenBackFirst() throws {
        #expect(!writer.hasBegun)
        writeAll(1, slots: [0, 1, 2])
        #expect(writer.hasBegun && writer.allowsResuming(with: 1))
        #expect(try start(1).entries.all.map(\.inode) == [10, 11, 12])
        writer.note([1], of: 4)
        writer.takeBack { $0 == 1 ? Self.entry(1, isComplete: false) : Self.entry($0) }
        #expect(try start(1).entries.all.map(\.inode) == [10, 12], "the new word comes after the journal")
        writer.write { _ in Self.entry(1, isComplete: false) }
        #expect(try start(1).entries.all.map(\.isComplete) == [true, false, true])
    }

    @Test mutating func onlyWhatWasNotedIsAskedFor() throws {
        writeAll(1, slots: [0, 1, 2])
        var asked: [Int32] = []
        writer.note([2], of: 4)
        writer.takeBack {
            asked.append($0); return Self.entry($0)
        }
        writer.write {
            asked.append($0); return Self.entry($0)
        }
        writer.write {
            asked.append($0); return nil
        }
        #expect(asked == [2, 2])
        #expect(try start(1).entries.all.count == 3)
    }

    @Test mutating func workIsWrittenOncePerNumberAndAgainWhereThereIsSome() throws {
        var count = 0
        func state(_ files: [InodeNumber]) -> IterationState {
            count += 1
            var state = IterationState()
            state.files = files
            return state
        }
        writeAll(1, slots: [])
        let file = InodeNumber(device: 1, inode: 2)
        writer.write(state([file]), sequence: 1)
        writer.rewrite(state([]), hasWork: false)
        #expect(count == 0, "there was none, and is none")
        writer.write(state([file]), sequence: 2)
        #expect(try start(2).state.files == [file])
        writer.rewrite(state([]), hasWork: false)
        #expect(try start(2).state.files == [] && count == 2, "there was some")
        writer.rewrite(state([]), hasWork: false)
        #expect(count == 2)
    }

    @Test mutating func withdrawnStateIsWrittenFromTheBeginning() throws {
        writeAll(1, slots: [0, 1])
        writer.withdraw(directories: 4)
        #expect(throws: HandoverObstacle.otherMoment) { try start(1) }
        #expect(!writer.hasBegun && !writer.allowsResuming(with: 1))
        writeAll(1, slots: [])
        #expect(try start(1).entries.all.count == 4, "all directories are asked for again")
    }
}
