// The queue of look-ups against a list and a search.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import FileWatching

@Suite struct LookUpQueueTests {
    private struct Waiting: Equatable {
        var directory: DirectoryID
        var name: [UInt8]
        var position: UInt64
    }

    @Test(arguments: TestLength.part(of: 1...20 as ClosedRange<UInt64>, oneIn: 5)) func likeAList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = LookUpQueue()
        var model: [Waiting] = []
        let names = (0..<Int.random(in: 1...600, using: &random)).map { index in
            Array(String(repeating: "n", count: index % 12).utf8) + Array("\(index)".utf8.dropFirst(index % 2))
        }
        for step in 0..<20_000 {
            if Int.random(in: 0..<4, using: &random) == 0 {
                withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
                    let entry = queue.take(into: buffer)
                    let expected = model.isEmpty ? nil : model.removeFirst()
                    let found = entry.map {
                        Waiting(
                            directory: $0.directory, name: Array(buffer[..<Int($0.length)]),
                            position: $0.origin.position)
                    }
                    #expect(found == expected, "seed \(seed) step \(step)")
                    if let entry { #expect(buffer[Int(entry.length)] == 0) }
                }
            } else if Int.random(in: 0..<2000, using: &random) == 0 {
                while !model.isEmpty {
                    model.removeFirst()
                    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { _ = queue.take(into: $0) }
                }
                withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { #expect(queue.take(into: $0) == nil) }
            } else {
                let directory = DirectoryID(slot: Int32.random(in: 0..<3, using: &random), generation: 0)
                let name = names.randomElement(using: &random) ?? []
                let position = UInt64.random(in: 0..<1000, using: &random)
                name.withUnsafeBytes { queue.add($0, in: directory, origin: Origin(position: position)) }
                if let index = model.firstIndex(where: { $0.directory == directory && $0.name == name }) {
                    model[index].position = min(model[index].position, position)
                } else {
                    model.append(Waiting(directory: directory, name: name, position: position))
                }
            }
            #expect(queue.isEmpty == model.isEmpty)
            // A bound, which never says too much.
            if let least = model.map(\.position).min() {
                #expect(queue.leastPosition <= least, "seed \(seed) step \(step)")
            }
            if step % 64 == 0 {
                var unreceived = 0
                queue.forEach { entry, _ in if !entry.isReceived { unreceived += 1 } }
                #expect(queue.unreceived == unreceived, "seed \(seed) step \(step)")
            }
            queue.isReceiving = Bool.random(using: &random)
        }
    }

    /// Under constant writes it may never be empty, and the bound follows all the same.
    @Test func theLeastPositionFollows() {
        var queue = LookUpQueue()
        let directory = DirectoryID(slot: 0, generation: 0)
        for number in 0..<40_000 {
            Array("\(number)".utf8).withUnsafeBytes {
                queue.add($0, in: directory, origin: Origin(position: UInt64(number)))
            }
            if number >= 1_000 {
                withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { _ = queue.take(into: $0) }
            }
        }
        #expect(queue.count == 1_000)
        #expect(queue.leastPosition > 30_000 && queue.leastPosition <= 39_000)
    }

    /// A comparison waits for what it has had looked at, whoever else has asked for that before or after.
    @Test(arguments: [false, true]) func aComparisonWaitsForWhatOthersAskedFor(isFirst: Bool) {
        var queue = LookUpQueue()
        queue.comparisons = [7]
        let directory = DirectoryID(slot: 0, generation: 0)
        for task in isFirst ? [7, 3] : [3, 7] as [UInt32] {
            [UInt8(ascii: "n")].withUnsafeBytes {
                queue.add($0, in: directory, origin: Origin(position: UInt64(task), task: task))
            }
        }
        #expect(queue.count == 1 && queue.contains(task: 7) && !queue.contains(task: 3))
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) {
            let entry = queue.take(into: $0)
            #expect(entry?.origin.task == 7 && entry?.origin.position == 3)
        }
        #expect(!queue.contains(task: 7))
    }
}
