// Queries that follow the clock against the language's own answer at each moment: a played clock, random changes.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@testable import LiveQueries

private let second: Int64 = 1_000_000_000

/// A subscriber to one query that follows the clock.
private final class Watcher {
    let predicate: Predicate
    let scope: NaiveScope
    let query: LiveQuery
    var held: Set<ItemIdentifier> = []
    private var snapshot: IndexSnapshot?

    init(_ text: String, _ scope: NaiveScope, _ world: ClockWorld) throws {
        predicate = try Predicate(parsing: text, mode: .metadata)
        self.scope = scope
        let plan = QueryPlan(predicate, scopes: scope.scopes, environment: world.environment)
        query = world.registry.add(plan, attributes: [.name])
        firstPlan = plan
        snapshot = world.tree.index.snapshot()
    }

    private let firstPlan: QueryPlan

    func gather() {
        guard let snapshot else { return }
        self.snapshot = nil
        let (selection, errors) = firstPlan.selectTolerantly(in: snapshot)
        query.gather(selection, errors: errors)
    }

    func take(_ limit: Int, _ world: ClockWorld) {
        let index = query.snapshot(of: world.tree.index)
        for row in query.takeFirst(limit: limit) {
            if let item = index.identifier(of: row) { #expect(held.insert(item).inserted) }
        }
        guard query.hasPending else { return }
        let delta = query.take(limit: limit, in: world.tree.index)
        for removed in delta.removed { #expect(held.remove(removed.identifier) != nil) }
        for row in delta.added {
            if let item = index.identifier(of: row) { #expect(held.insert(item).inserted) }
        }
        for changed in delta.changed {
            #expect(index.identifier(of: changed.row).map { held.contains($0) } ?? false)
        }
    }

    /// The items that match at a moment, as the language has it.
    func expected(_ world: ClockWorld, at now: Int64) throws -> Set<ItemIdentifier> {
        var environment = world.environment
        environment.now = Timestamp(nanoseconds: now)
        let resolved = predicate.resolved(at: environment.now)
        var found: Set<ItemIdentifier> = []
        for view in world.tree.views where scope.holds(view) {
            let values = ItemValues(row: view.id.row, reader: world.tree.index, environment: environment)
            if (try? resolved.evaluate(on: values)) ?? false { found.insert(view.id) }
        }
        return found
    }
}

private final class ClockWorld {
    var tree = NaiveTree()
    let registry: LiveQueryRegistry
    var now: Int64
    var updates: [BackgroundUpdate] = []

    init(rowLimit: Int, now: Int64) {
        registry = LiveQueryRegistry(rowLimit: rowLimit, walkLimit: 4_096)
        self.now = now
    }

    var environment: PlanEnvironment { .test(tree.index, now: Timestamp(nanoseconds: now)) }

    /// A turn as the engine has it: it tells no time to a registry that does not ask for it.
    func turn() {
        let changes = tree.index.takeChanges()
        registry.process(changes, in: tree.index)
        if registry.nextMoment != nil { _ = registry.advance(to: Timestamp(nanoseconds: now), in: tree.index) }
        updates += registry.takeBackgroundUpdates()
    }

    func finishUpdate(_ place: Int) {
        let update = updates.remove(at: place)
        update.run()
        _ = registry.finish(update, in: tree.index)
        registry.goOn(after: update, in: tree.index)
        turn()
    }

    func settle() {
        turn()
        while !updates.isEmpty { finishUpdate(0) }
    }
}

@Suite struct LiveQueryClockTests {
    static let texts = [
        "modified > $time.now(-60)", "modified < $time.now(-60)", "modified >= $time.now(-5) AND size > 100",
        "created <= $time.now(30) OR name ENDSWITH '.jpg'", "NOT modified > $time.now(-20)",
        "modified BETWEEN {$time.now(-30), $time.now(-10)}", "modified == $time.today",
        "modified != $time.today AND created > now()", "created >= $time.today(-1)",
        "modified > $time.now(-60) AND name MATCHES '.*a.*'", "name LIKE 'Item*' AND changed < now()",
        "NOT (created > $time.now(-10) AND NOT modified < $time.now(-10))", "modified != now()",
    ]

    @Test(arguments: TestLength.part(of: 0..<20 as Range<UInt64>, oneIn: 4))
    func itemsComeAndGoWithTime(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // Near the end of a day, wherever that is here.
        let midnight =
            try #require(TimeExpression(.day).end(from: Timestamp(nanoseconds: 1_700_000_000 * second))).nanoseconds
        let world = ClockWorld(rowLimit: generator.pick([2, 1_024]), now: midnight - 40 * second)
        func date() -> Timestamp {
            let near = world.now + Int64.random(in: -70...40, using: &generator) * second
            return Timestamp(
                nanoseconds: generator.chance(8)
                    ? near - 86_400 * second : near + Int64(generator.pick([0, 0, 1, 500])))
        }
        func change() throws {
            try world.tree.randomChange(&generator, size: 40)
            guard let item = world.tree.items.keys.sorted().randomElement(using: &generator) else { return }
            let (a, b, c) = (date(), date(), date())
            let hasBirth = !generator.chance(5)
            try world.tree.update(item) {
                $0.modified = a
                $0.changed = b
                $0.created = hasBirth ? c : nil
            }
        }
        for _ in 0..<60 { try change() }
        world.turn()
        var watchers: [Watcher] = []
        for _ in 0..<150 {
            if watchers.count < 20, generator.chance(2) {
                watchers.append(
                    try Watcher(
                        generator.pick(Self.texts),
                        generator.chance(2) ? NaiveScope.all[0] : generator.pick(NaiveScope.all), world))
            }
            if generator.chance(2) { for _ in 0..<generator.pick([1, 1, 6]) { try change() } }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3: world.now += Int64.random(in: 0...4, using: &generator) * second
            case 3..<6:
                if let next = world.registry.nextMoment { world.now = max(world.now, next) }
            case 6: world.now += Int64(generator.pick([1, 500, 90 * 1_000_000_000, 3_600 * 1_000_000_000]))
            case 7 where generator.chance(3): world.now -= Int64.random(in: 1...50, using: &generator) * second
            default: break
            }
            world.turn()
            while !world.updates.isEmpty, generator.chance(2) {
                world.finishUpdate(Int.random(in: world.updates.indices, using: &generator))
            }
            for watcher in watchers {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: watcher.gather()
                case 1: watcher.take(3, world)
                default: break
                }
            }
            guard generator.chance(3) else { continue }
            world.settle()
            let next = world.registry.nextMoment ?? world.now + 100_000 * second
            for watcher in watchers {
                #expect(!watcher.query.isAway)
                watcher.gather()
                while watcher.query.firstCount > 0 || watcher.query.hasPending { watcher.take(5, world) }
                let expected = try watcher.expected(world, at: world.now)
                #expect(watcher.held == expected, "seed \(seed): \(watcher.predicate)")
                #expect(watcher.query.count == expected.count)
                // Nothing happens before the registry wants to be asked again.
                for moment in [next - 1, world.now + (next - world.now) / 2] where moment > world.now {
                    #expect(
                        try watcher.expected(world, at: moment) == expected,
                        "seed \(seed): \(watcher.predicate) before its moment")
                }
            }
        }
    }

    /// The moment when these change cannot be foreseen, so they are asked again now and then.
    @Test func unforeseeablePredicatesAreAskedAgain() throws {
        let start = 1_700_000_000 * second
        let world = ClockWorld(rowLimit: 1_024, now: start)
        let item = try #require(try world.tree.insert("a", NaiveTree.status(.file)))
        try world.tree.update(item) { $0.modified = Timestamp(nanoseconds: start + second) }
        world.turn()
        let watcher = try Watcher("TERNARY(modified > now(), 'new', 'old') == 'new'", NaiveScope.all[0], world)
        watcher.gather()
        world.settle()
        watcher.take(9, world)
        #expect(watcher.held.count == 1 && !watcher.query.plan.knowsItsMoments)
        world.now += 2 * second
        world.settle()
        watcher.take(9, world)
        #expect(watcher.held.count == 1)
        let next = try #require(world.registry.nextMoment)
        world.now = next
        world.settle()
        watcher.take(9, world)
        #expect(watcher.held.isEmpty && next == start + LiveQuery.opaqueInterval)
    }

    /// More items than are kept ahead, many with one date: all of them leave, each at its moment.
    @Test func moreThanIsKeptAhead() throws {
        let start = 1_700_000_000 * second
        let world = ClockWorld(rowLimit: 64, now: start)
        for number in 0..<3_000 {
            var status = NaiveTree.status(.file)
            status.modified = Timestamp(nanoseconds: start - (number < 1_500 ? 0 : Int64(number % 59)) * second)
            try world.tree.insert("f\(number)", status)
        }
        world.turn()
        let watcher = try Watcher("modified > $time.now(-60)", NaiveScope.all[0], world)
        watcher.gather()
        watcher.take(.max, world)
        #expect(watcher.held.count == 3_000)
        world.settle()
        var moments = 0
        while let next = world.registry.nextMoment {
            world.now = next
            world.settle()
            watcher.take(.max, world)
            #expect(try watcher.held == watcher.expected(world, at: next))
            moments += 1
            #expect(moments < 200)
            if moments >= 200 { break }
        }
        #expect(watcher.held.isEmpty && moments >= 59)
    }

    /// More queries begin in one turn than are brought to the present at once, and time changes nothing for any of them.
    @Test func allThatBeginTogetherAreBroughtToNow() throws {
        let start = 1_700_000_000 * second
        let world = ClockWorld(rowLimit: 1_024, now: start)
        var status = NaiveTree.status(.file)
        status.modified = Timestamp(nanoseconds: start - 3_600 * second)
        try world.tree.insert("old", status)
        world.turn()
        let watchers = try (0..<6).map { _ in
            let watcher = try Watcher("modified > $time.now(-60)", NaiveScope.all[0], world)
            world.turn()
            return watcher
        }
        #expect(world.updates.count == ClockSchedule.maximumUpdates)
        world.settle()
        #expect(!watchers.contains { $0.query.isAway } && world.registry.nextMoment == nil)
    }

    /// More queries than are out at once have more that is due at one moment than is looked at on the event loop.
    @Test func allThatAreDueTogetherAreTold() throws {
        let start = 1_700_000_000 * second
        let world = ClockWorld(rowLimit: 4, now: start)
        var status = NaiveTree.status(.file)
        status.modified = Timestamp(nanoseconds: start)
        for number in 0..<5 { try world.tree.insert("f\(number)", status) }
        world.turn()
        let count = ClockSchedule.maximumUpdates * ClockSchedule.queriesInUpdate + 10
        let watchers = try (0..<count).map { _ in
            try Watcher("modified >= $time.now(-60)", NaiveScope.all[0], world)
        }
        for watcher in watchers { watcher.gather() }
        world.settle()
        #expect(watchers.allSatisfy { $0.query.count == 5 } && world.registry.nextMoment == start + 60 * second)
        // Nothing is left to wait for then.
        world.now = start + 60 * second + 1
        world.settle()
        #expect(watchers.filter { $0.query.isAway || $0.query.count != 0 }.isEmpty)
    }

    /// A query that comes and goes again and again leaves nothing that wakes anybody, or that takes memory until its moment.
    @Test func `Nothing is left of queries that have ended`() throws {
        let start = 1_700_000_000 * second
        let world = ClockWorld(rowLimit: 1_024, now: start)
        var status = NaiveTree.status(.file)
        status.modified = Timestamp(nanoseconds: start)
        try world.tree.insert("a", status)
        world.turn()
        func watch(_ seconds: Int) throws -> LiveQuery {
            let query = try Watcher("modified > $time.now(-\(seconds))", NaiveScope.all[0], world).query
            world.settle()
            return query
        }
        let last = try watch(3_600)
        #expect(world.registry.nextMoment == start + 3_600 * second)
        for round in 0..<300 {
            let query = try watch(round % 2 == 0 ? 60 : 7_200)
            #expect(world.registry.nextMoment == start + (round % 2 == 0 ? 60 : 3_600) * second)
            world.registry.remove(query)
            #expect(world.registry.nextMoment == start + 3_600 * second)
        }
        #expect(world.registry.clock.heap.count <= ClockSchedule.leastEntries)
        world.registry.remove(last)
        #expect(world.registry.nextMoment == nil)
    }

    /// A query of which nothing is near wakes no thread, and nor does one of other items.
    @Test func onlyWhatMattersIsAMoment() throws {
        let start = 1_700_000_000 * second
        let world = ClockWorld(rowLimit: 1_024, now: start)
        for number in 0..<10 {
            var status = NaiveTree.status(.file)
            status.modified = Timestamp(nanoseconds: start - Int64(number) * second)
            try world.tree.insert("f\(number).\(number == 5 ? "txt" : "jpg")", status)
        }
        world.turn()
        let watcher = try Watcher("modified > $time.now(-60) AND name ENDSWITH '.txt'", NaiveScope.all[0], world)
        watcher.gather()
        world.settle()
        #expect(world.registry.nextMoment == start + 55 * second)
        world.now = start + 56 * second
        world.settle()
        #expect(watcher.query.count == 0 && world.registry.nextMoment == nil)
    }

    /// As time passes nothing is compiled anew until a day is over, and nothing is for another viewer.
    @Test func plansGoOnWithoutCompiling() throws {
        let tree = NaiveTree()
        let start = Timestamp(nanoseconds: 1_700_000_000 * second)
        let midnight = try #require(TimeExpression(.day).end(from: start))
        let names = (0..<1_000).map { "'n\($0)'" }.joined(separator: ", ")
        let predicate = try Predicate(
            parsing:
                "created != $time.today OR modified > $time.now(-60) OR modified > $time.now(-60) OR name IN {\(names)}",
            mode: .metadata)
        /// Where the parts of a node are kept.
        func parts(_ node: PlanNode?) -> UnsafeRawPointer? {
            switch node?.kind {
            case .all(let parts), .any(let parts): parts.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
            default: nil
            }
        }
        func last(_ node: PlanNode) -> PlanNode? {
            if case .all(let parts) = node.kind { parts.last } else { nil }
        }
        let plan = QueryPlan(
            predicate, environment: .test(tree.index, now: Timestamp(nanoseconds: midnight.nanoseconds - 10 * second)))
        #expect(plan.clock?.ages.count == 1 && parts(plan.root) != nil)
        let later = plan.at(Timestamp(nanoseconds: midnight.nanoseconds - 1))
        #expect(parts(later.root) == parts(plan.root) && later.environment.now.nanoseconds == midnight.nanoseconds - 1)
        let next = later.at(midnight)
        #expect(!later.isCompiled(for: midnight) && parts(next.root) != parts(plan.root))
        #expect(next.isCompiled(for: Timestamp(nanoseconds: midnight.nanoseconds + second)))
        let user = Credentials(user: 1, groups: [])
        let root = FileAccess(mode: 0o755, owner: 0, group: 0, accessList: .none)
        let seen = next.seen(by: Viewer(user, above: [], root: root))
        #expect(parts(last(seen.root)) == parts(last(next.root)))
        let closed = seen.seen(by: Viewer(seeingNothing: user))
        #expect(closed.matchesNothing)
        let opened = closed.seen(by: Viewer(user, above: [], root: root))
        #expect(parts(last(opened.root)) == parts(last(next.root)))
        #expect(!predicate.isAskedAgain)
        let opaque = try Predicate(parsing: "TERNARY(modified > now(), 1, 0) == 1", mode: .metadata)
        #expect(opaque.isAskedAgain)
        #expect(!QueryPlan(opaque, environment: plan.environment).isCompiled(for: start))
    }
}
