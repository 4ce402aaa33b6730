// Readings under way: tasks, jobs and those that wait for them.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct ReadingsTests {
    private var readings = Readings(unstableAfter: 8)
    private let container = WatchedContainer(
        number: 1, path: "/c", options: CrawlOptions(ignored: IgnoredNames([]), readsXattrs: false))
    private let directory = DirectoryID(slot: 4, generation: 0)

    @Test mutating func aTaskEndsWhenItsJobsAndTheirsAreDone() {
        let task = readings.begin(for: container, position: 9)
        readings.submit(directory, ticket: 1, task: task, of: container)
        #expect(readings.areUnderWay && container.outstanding == 1 && readings[task]?.outstanding == 1)
        readings.finishJob(of: task, children: 2)
        let child = DirectoryID(slot: 5, generation: 0)
        readings.expect(child, ticket: 2)
        #expect(container.outstanding == 2 && readings.directory(of: 2) == child)
        #expect(readings.takeDirectory(of: 1) == directory && readings.takeDirectory(of: 1) == nil)
        for _ in 0..<2 { readings.finishJob(of: task, children: 0) }
        #expect(!readings.areUnderWay && container.outstanding == 0 && readings[task]?.outstanding == 0)
        readings.end(task)
        #expect(readings[task] == nil && readings.tasks.isEmpty)
    }

    @Test mutating func aBurstIsOneTaskOfItsIteration() {
        readings.beginIteration()
        let reported = readings.taskOfIteration(for: container, position: 9)
        #expect(readings.taskOfIteration(for: container, position: 12) == reported)
        let unreported = readings.taskOfIteration(for: container, position: .max)
        #expect(unreported != reported, "no barrier waits for what no event has told of")
        readings.beginIteration()
        #expect(readings.taskOfIteration(for: container, position: 9) != reported)
    }

    @Test mutating func aReadingCountsForTheEarliestThatWaits() {
        let task = readings.begin(for: container, position: 9)
        readings.submit(directory, ticket: 1, task: task, of: container)
        #expect(readings.position(ofTicket: 1, task: task, now: 50) == 9)
        #expect(!readings.lowerPosition(of: task, to: 9) && readings.lowerPosition(of: task, to: 7))
        #expect(readings.position(ofTicket: 1, task: task, now: 50) == 7)
        readings.awaitReading(of: directory, position: .max)
        #expect(readings.awaited.isEmpty)
        readings.awaitReading(of: directory, position: 5)
        readings.awaitReading(of: directory, position: 6)
        #expect(readings.position(ofTicket: 1, task: task, now: 50) == 5)
        #expect(readings.endAwaiting(directory) && !readings.endAwaiting(directory))
        readings.end(task)
        #expect(readings.position(ofTicket: 1, task: task, now: 50) == 50)
    }

    @Test mutating func namesThatChangeMeanwhileAreNoted() {
        let name: [UInt8] = [97]
        name.withUnsafeBytes { readings.touched($0, in: directory) }
        #expect(!readings.hasTouched, "it is not being read")
        readings.noteTouched(in: directory)
        name.withUnsafeBytes { readings.touched($0, in: directory) }
        #expect(readings.touched(in: directory) == [name] && readings.takeTouched(directory) == [name])
        #expect(!readings.hasTouched && readings.takeTouched(directory) == [])
    }
}
