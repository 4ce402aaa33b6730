// Items that lack access control lists are told of once, and are looked at again after a sweep.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import NIOCore
import NIOEmbedded
import Testing

@testable import GatherService

struct AccessListSweeperTests {
    private final class Owner: AccessListSweeper.Owner {
        var containers = ContainerSet()
        var sequence: UInt64 = 1
        var above: [FileAccess] = []
        var looked: [Row] = []
        var told: [Bool] = []
        var iterations = 0

        func directoriesAbove(_ record: ContainerRecord) -> [FileAccess]? { above }
        func lookAgain(at rows: [Row], of record: ContainerRecord) { looked += rows }
        func lackOfAccessListsChanged(of records: [ContainerRecord]) { told += records.map(\.accessLists.areMissing) }
        func runIteration() { iterations += 1 }
    }

    private let loop = EmbeddedEventLoop()
    private let owner = Owner()
    private let sweeper: AccessListSweeper
    private let record: ContainerRecord
    /// The access of a file whose owner has files in no other test.
    private static let unknown = FileAccess(mode: 0o755, owner: 3_999_999_999, group: 0, accessList: .unknown)

    init() throws {
        var limits = ServiceLimits()
        limits.accessListsLookedForAfter = .nanoseconds(0)
        sweeper = AccessListSweeper(limits: limits, loop: loop)
        record = ContainerRecord(
            number: owner.containers.makeNumber(),
            configuration: try ContainerConfiguration(identifier: "a", path: "/none", origin: .runtime))
        owner.containers.insert(record)
    }

    private func advance() { loop.advanceTime(to: .now() + .hours(1)) }

    @Test func aListAboveThatIsMissingIsReadAgain() {
        owner.above = [Self.unknown]
        sweeper.noteLists(above: record, owner)
        sweeper.note(owner)
        sweeper.note(owner)
        #expect(owner.told == [true] && owner.looked == [])
        advance()
        #expect(owner.looked == [.root])
        advance()
        #expect(owner.iterations == 1)
        owner.above = []
        sweeper.noteLists(above: record, owner)
        sweeper.note(owner)
        #expect(owner.told == [true, false])
    }

    @Test func aContainerThatWasRemovedIsNotLookedAt() {
        owner.above = [Self.unknown]
        sweeper.noteLists(above: record, owner)
        sweeper.note(owner)
        owner.containers.remove(record)
        advance()
        #expect(owner.looked == [] && owner.iterations == 1)
    }

    @Test func afterTheEndNoSweepBegins() {
        owner.above = [Self.unknown]
        sweeper.noteLists(above: record, owner)
        sweeper.note(owner)
        sweeper.close()
        advance()
        #expect(owner.looked == [] && owner.iterations == 0)
    }
}
