// Tasks of a session, their errors and their end.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct SessionTasksTests {
    private struct Failure: Error, Equatable { var number: Int }

    private var tasks = SessionTasks()

    @Test mutating func theFirstErrorOfATaskIsThrown() async {
        let (ended, end) = AsyncStream<Int>.makeStream()
        tasks.add({}, ended: { end.yield($0) })
        var numbers = ended.makeAsyncIterator()
        let first = await numbers.next()
        tasks.add({ throw Failure(number: 1) }, ended: { end.yield($0) })
        let second = await numbers.next()
        #expect(first != nil && second != nil && first != second)
        tasks.fail(Failure(number: 2))
        #expect(await failure() == Failure(number: 1))
    }

    @Test mutating func anErrorFromOutsideIsThrown() async {
        tasks.fail(Failure(number: 3))
        #expect(await failure() == Failure(number: 3))
    }

    @Test mutating func theEndCancelsTheTasksThatRun() async {
        let (told, tell) = AsyncStream<String>.makeStream()
        let gates = (0..<3).map { _ in AsyncStream<Void>.makeStream() }
        for (number, gate) in gates.enumerated() {
            tasks.add(
                {
                    for await _ in gate.stream {}
                    tell.yield("\(number) \(Task.isCancelled ? "was cancelled" : "ended")")
                }, ended: { _ in })
        }
        // One has ended, as far as the session knows.
        tasks.remove(0)
        #expect(!tasks.isEnded)
        tasks.end()
        #expect(tasks.isEnded)
        for gate in gates { gate.continuation.finish() }
        var lines = told.makeAsyncIterator()
        let found = [await lines.next(), await lines.next(), await lines.next()]
        #expect(Set(found) == ["0 ended", "1 was cancelled", "2 was cancelled"])
    }

    private func failure() async -> Failure? {
        do { for try await _ in tasks.failures {} } catch { return error as? Failure }
        return nil
    }
}
