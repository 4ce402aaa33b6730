// Live queries that wait for plans get them a part at a time, and users take turns.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherService

struct PlanQueueTests {
    private struct Place: Equatable {
        let name: String
        var bytes = 1
    }

    private func queue(_ places: [Place]) -> PlanQueue<Place> {
        var queue = PlanQueue<Place>(mostBytes: 100)
        for place in places { queue.add(place, of: 1) }
        return queue
    }

    private func take(
        _ queue: inout PlanQueue<Place>, ended: Set<String> = [], held: Set<String> = []
    ) -> [String] {
        queue.take(
            of: 1, bytes: \.bytes, isAwaited: { !ended.contains($0.name) }, isHeld: { held.contains($0.name) }
        ).map(\.name)
    }

    @Test func soMuchIsPlannedOnTheLoopInAnIteration() {
        var queue = queue([])
        let taken = [60, 41, 40].map { queue.takeRoomOnLoop(bytes: $0) }
        #expect(taken == [true, false, true])
        let waiting = queue.beginIteration()
        let isTaken = queue.takeRoomOnLoop(bytes: 100)
        #expect(waiting == [] && isTaken)
    }

    @Test func aPartIsAsMuchAsTheLoopPlansOrOne() {
        var queue = queue([
            Place(name: "a", bytes: 500), Place(name: "b", bytes: 50), Place(name: "c", bytes: 50),
            Place(name: "d", bytes: 1),
        ])
        let taken = (0..<4).map { _ in take(&queue) }
        #expect(taken == [["a"], ["b", "c"], ["d"], []])
        let waiting = queue.beginIteration()
        #expect(waiting == [])
    }

    @Test func thoseThatAreHeldComeLast() {
        var queue = queue(["a", "b", "c", "d"].map { Place(name: $0, bytes: 60) })
        let taken = [take(&queue, ended: ["b"], held: ["a"]), take(&queue), take(&queue)]
        #expect(taken == [["c"], ["d"], ["a"]])
    }

    @Test func aUserHasOnePartAtATime() {
        var queue = queue([Place(name: "a")])
        queue.add(Place(name: "b"), of: 2)
        let waiting = queue.beginIteration()
        #expect(waiting.sorted() == [1, 2])
        var begun = [queue.begin(for: 3) { _ in true }, queue.begin(for: 1) { _ in false }]
        #expect(begun == [false, false], "nothing waits, or all are held")
        begun = [
            queue.begin(for: 1) { $0.name == "a" }, queue.begin(for: 1) { _ in true },
            queue.begin(for: 2) { _ in true },
        ]
        #expect(begun == [true, false, true])
        queue.end(for: 1)
        begun = [queue.begin(for: 1) { _ in true }]
        #expect(begun == [true])
    }
}
