// Live queries against a naive model: random changes, subscribers that read when they like, resumed queries.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@testable import LiveQueries

@Suite struct LiveQueryModelTests {
    @Test(
        arguments: TestLength.part(of: 0..<24 as Range<UInt64>, oneIn: 3) + [298, 455]
            + TestLength.part(of: NaiveTree.seedsOfConflicts, oneIn: 2)
            + TestLength.part(of: NaiveTree.seedsOfArchives, oneIn: 2) + TestLength.seeds(0, long: 64))
    func subscribersHoldWhatMatches(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // Apart, so that the seeds stay what they were.
        var others = SeededGenerator(seed: ~seed)
        var returns = SeededGenerator(seed: seed &+ 0x9E37)
        let users: [UInt32?] = [nil] + NaiveTree.viewers
        let hasPackages = seed % 5 < 3
        let hasConflicts = NaiveTree.hasConflicts(seed: seed)
        let hasArchives = NaiveTree.hasArchives(seed: seed)
        var conflicts = SeededGenerator(seed: seed &+ 0x5D3C)
        var archives = SeededGenerator(seed: seed &+ 0x2B11)
        let world = ModelWorld(
            rowLimit: seed % 3 == 0 ? 3 : 4_096, walkLimit: seed % 2 == 0 ? 2 : 4_096, hasPackages: hasPackages)
        // A third of the runs has queries suspended that have little pending, another all that have anything.
        world.registry.pendingBeforeSuspension = [256, 3, 1][Int(seed / 3 % 3)]
        world.registry.isUnread = { ($0.number ?? 0) % 3 > 0 }
        let size = generator.pick([6, 20, 60])
        world.tree = NaiveTree(isSwept: seed % 4 == 1)
        for _ in 0..<size * 2 { try world.tree.randomChange(&generator, size: size) }
        world.process()
        let asked: [AttributeSet] = [
            [], [.name], [.path], [.depth], [.scope], [.tags, .path], [.comment], [.name, .path, .kind],
        ]
        var subscribers: [ModelSubscriber] = []
        var away: [ModelSubscriber] = []
        world.whileBehind = { query in
            guard let subscriber = subscribers.first(where: { $0.query === query }) else { return }
            world.lookBack(query) {
                subscriber.takeFirst(3, world)
                subscriber.take(3, world)
            }
        }
        for _ in 0..<(size > 20 ? 120 : 250) {
            if subscribers.count < 25, generator.chance(2) {
                var (naive, attributes) = (generator.pick(NaiveQuery.all), AttributeSet())
                var scope = generator.chance(2) ? NaiveScope.all[0] : generator.pick(NaiveScope.all)
                attributes = generator.pick(asked)
                let user = users.randomElement(using: &others) ?? nil
                if hasPackages {
                    if others.chance(3) { naive = others.pick(NaiveQuery.ofPackages) }
                    if others.chance(4) { attributes.insert(.inPackage) }
                }
                if hasConflicts {
                    if conflicts.chance(2) { naive = conflicts.pick(NaiveQuery.ofConflicts) }
                    if conflicts.chance(3) { attributes.insert(.conflictOf) }
                    if conflicts.chance(3) { attributes.insert(.conflictVersions) }
                    if conflicts.chance(4) { attributes.insert(.hasUnresolvedConflicts) }
                }
                if hasArchives {
                    if archives.chance(5) { naive = archives.pick(NaiveQuery.ofArchives) }
                    if archives.chance(4) { scope = archives.pick(NaiveScope.ofArchives) }
                }
                subscribers.append(
                    try ModelSubscriber(
                        naive, scope, attributes, world, user: user, awaitsPlan: others.chance(4)))
            }
            for _ in 0..<Int.random(in: 1...generator.pick([1, 3, 12]), using: &generator) {
                try world.tree.randomChange(&generator, size: size)
                if hasPackages, others.chance(6) { try world.tree.randomPackage(&others) }
                if hasArchives, archives.chance(3) { try world.tree.randomArchive(&archives) }
                if hasConflicts, conflicts.chance(2) { try world.tree.randomConflict(&conflicts, size: size) }
            }
            world.process()
            for subscriber in subscribers + away { subscriber.notice(world) }
            for subscriber in subscribers {
                switch Int.random(in: 0..<12, using: &generator) {
                case 0: subscriber.gather(world)
                case 1, 2: subscriber.takeFirst(Int.random(in: 1...4, using: &generator), world)
                case 3, 4: subscriber.take(Int.random(in: 1...4, using: &generator), world)
                case 5: subscriber.drain(world)
                case 6 where generator.chance(3):
                    subscriber.leave(world)
                    away.append(subscriber)
                    subscribers.removeAll { $0 === subscriber }
                default: break
                }
            }
            for subscriber in subscribers where returns.chance(6) { world.bringBack(subscriber.query) }
            while !world.updates.isEmpty, generator.chance(2) {
                world.finishUpdate(at: Int.random(in: world.updates.indices, using: &generator))
            }
            for subscriber in away where generator.chance(6) {
                try subscriber.comeBack(world)
                subscribers.append(subscriber)
                away.removeAll { $0 === subscriber }
            }
        }
        for subscriber in away {
            try subscriber.comeBack(world)
            subscribers.append(subscriber)
        }
        for subscriber in subscribers { subscriber.drain(world) }
        #expect(world.registry.count == subscribers.count)
    }
}
