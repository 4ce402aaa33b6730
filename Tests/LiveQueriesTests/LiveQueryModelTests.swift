// Live queries against a naive model: random changes, subscribers that read when they like, resumed queries.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@testable import LiveQueries

/// What one subscriber knows, and every complaint that it could make.
private final class Subscriber {
    struct Known: Equatable {
        var view: NaiveView
        /// The versions that it has seen.
        var own: Int
        var status: Int
        var places: [Attribute: Int]
        var conflicts: Int
    }

    let naive: NaiveQuery
    let scope: NaiveScope
    let attributes: AttributeSet
    /// Who asks; nil for one who sees everything.
    let user: UInt32?
    let hasPackages: Bool
    let plan: QueryPlan
    var query: LiveQuery
    var known: [ItemIdentifier: Known] = [:]
    /// What it holds that did not match for a while: if it matches again, it counts as changed.
    var hasLeft: Set<ItemIdentifier> = []
    /// The snapshot that waits to be scanned.
    var snapshot: IndexSnapshot?
    /// The clock up to which it has heard everything.
    var clock: UInt64?

    init(
        _ naive: NaiveQuery, _ scope: NaiveScope, _ attributes: AttributeSet, _ world: World, user: UInt32?,
        awaitsPlan: Bool
    ) throws {
        self.naive = naive
        self.user = user
        self.scope = scope
        self.attributes = attributes
        let predicate = try naive.predicate()
        let viewer = user.map {
            Viewer(
                Credentials(user: $0, groups: [100]), above: [],
                root: FileAccess(mode: 0o755, owner: 0, group: 0, accessList: .none))
        }
        hasPackages = world.hasPackages
        let forNobody = QueryPlan(
            predicate, scopes: scope.scopes, environment: .test(world.tree.index, hasPackages: hasPackages))
        if let viewer, viewer.credentials.user % 2 == 0 {
            plan = forNobody.seen(by: viewer)
        } else {
            plan = QueryPlan(
                predicate, scopes: scope.scopes,
                environment: .test(world.tree.index, viewer: viewer, hasPackages: hasPackages))
        }
        if awaitsPlan {
            query = world.registry.add(QueryPlan(provisionalIn: plan.environment), attributes: attributes)
            query.awaitsPlan = true
            query.count(0)
        } else {
            query = world.registry.add(plan, attributes: attributes)
            snapshot = world.tree.index.snapshot()
        }
    }

    /// The plan is made that it waits for: all that matches is news.
    private func goOnWithPlan(_ world: World) {
        query.awaitsPlan = false
        _ = world.registry.look(query, by: plan, in: world.tree.index)
        world.errands += world.registry.takeErrands()
    }

    var name: String {
        "\(user.map { "\($0): " } ?? "")'\(naive.text)' in \(scope.scopes), asked \(attributes.attributes)"
    }

    /// Whether the scope or the predicate names a directory at or in the package or archive that an item lies in.
    private func looks(into package: String, at view: NaiveView) -> Bool {
        var directories = naive.directories
        for case .directory(let path) in scope.scopes { directories.append(String(decoding: path, as: UTF8.self)) }
        return directories.contains {
            ($0 == package || $0.hasPrefix(package + "/")) && view.path.hasPrefix($0 + "/")
        }
    }

    func matches(_ view: NaiveView) -> Bool {
        if let archive = view.archivePath, !naive.names(view), !looks(into: archive, at: view) { return false }
        if hasPackages, let package = view.packagePath, !naive.namesPackages, !looks(into: package, at: view) {
            return false
        }
        guard let user else { return scope.holds(view) && naive.holds(view) }
        var view = view.seen(by: user)
        if !view.readers.contains(user) { view = view.closed }
        return view.seers.contains(user) && scope.holds(view) && naive.holds(view)
    }

    /// Those that the user may read.
    private func extras(_ view: NaiveView) -> [String: String] {
        user.map { view.readers.contains($0) } ?? true ? view.extras : view.closed.extras
    }

    /// To be called after each change set.
    func notice(_ world: World) {
        for id in known.keys {
            if let view = world.views[id], matches(view) { continue }
            hasLeft.insert(id)
        }
    }

    func gather(_ world: World) {
        if query.awaitsPlan { goOnWithPlan(world) }
        guard let snapshot else { return }
        let (selection, errors) = plan.selectTolerantly(in: snapshot)
        self.snapshot = nil
        #expect(errors.count == 0)
        query.gather(selection, errors: errors)
    }

    func takeFirst(_ limit: Int, _ world: World) {
        for row in query.takeFirst(limit: limit) { add(row, world) }
    }

    private func add(_ row: Row, _ world: World) {
        guard let id = world.item(in: row), let view = world.views[id] else {
            Issue.record("\(name): added row \(row) does not live")
            return
        }
        #expect(known[id] == nil, "\(name): added \(view.path), which it holds")
        learn(view, world)
    }

    private func learn(_ view: NaiveView, _ world: World) {
        // An item that is told of the past may have left since, and come back.
        if world.looksBack { hasLeft.insert(view.id) } else { hasLeft.remove(view.id) }
        known[view.id] = Known(
            view: view, own: world.version(view.id), status: world.status(view.id, user),
            places: world.places[view.id] ?? [:], conflicts: world.conflicts(view.id, user))
    }

    func take(_ limit: Int, _ world: World) {
        guard query.suspendedSince == nil, query.isGathered, query.firstCount == 0 else { return }
        let delta = query.take(limit: limit, in: world.tree.index)
        #expect(delta.count <= limit)
        #expect(!query.awaitsPlan || delta.count == 0)
        for removed in delta.removed {
            guard let held = known.removeValue(forKey: removed.identifier) else {
                Issue.record("\(name): removed \(removed.identifier), which it does not hold")
                continue
            }
            let path = String(decoding: removed.path, as: UTF8.self)
            if attributes.contains(.path) {
                #expect(path == held.view.path, "\(name): removed with another path")
            } else {
                #expect(world.pastPaths[removed.identifier]?.contains(path) == true, "\(name): removed with \(path)")
            }
        }
        for row in delta.added { add(row, world) }
        for changed in delta.changed { change(changed, world) }
        #expect(delta.hasMore == (query.pendingCount > 0))
    }

    private func change(_ changed: DeltaItem.Changed, _ world: World) {
        guard let id = world.item(in: changed.row), let view = world.views[id], let held = known[id]
        else {
            Issue.record("\(name): changed row \(changed.row) is not held")
            return
        }
        let previous = changed.previousPath.map { String(decoding: $0, as: UTF8.self) }
        let expected = attributes.contains(.path) && held.view.path != view.path ? held.view.path : nil
        #expect(previous == expected, "\(name): \(view.path)")
        let hasReason =
            held.own != world.version(id) || held.status != world.status(id, user) || hasLeft.contains(id)
            || [Attribute.path, .depth, .scope, .inPackage, .conflictOf].contains {
                attributes.contains($0) && held.places[$0] != world.places[id]?[$0]
            } || (query.readsExtras && extras(held.view) != extras(view))
            || (asksForConflicts && held.conflicts != world.conflicts(id, user))
        #expect(hasReason, "\(name): \(view.path) changed for no reason")
        learn(view, world)
    }

    private var asksForConflicts: Bool {
        attributes.contains(.hasUnresolvedConflicts) || attributes.contains(.conflictVersions)
    }

    func drain(_ world: World) {
        gather(world)
        while query.isAway {
            world.bringBack(query)
            world.finishErrand()
        }
        while query.firstCount > 0 { takeFirst(7, world) }
        while query.pendingCount > 0 { take(5, world) }
        let expected = world.views.values.filter(matches)
        #expect(Set(known.keys) == Set(expected.map(\.id)), "\(name)")
        #expect(query.count == expected.count, "\(name): count")
        // What it was told last is what is, as far as it asked.
        for view in expected {
            guard let held = known[view.id] else { continue }
            #expect(
                held.view.name == view.name && held.view.seen(by: user).status == view.seen(by: user).status,
                "\(name): \(view.path) is stale")
            if query.readsExtras {
                #expect(extras(held.view) == extras(view), "\(name): attributes of \(view.path) are stale")
            }
            if asksForConflicts {
                #expect(
                    held.view.seen(by: user).conflicts == view.seen(by: user).conflicts,
                    "\(name): stale conflicts of \(view.path)")
            }
            if attributes.contains(.conflictOf) {
                #expect(held.view.conflictOf == view.conflictOf, "\(name): stale conflictOf")
            }
            if attributes.contains(.path) { #expect(held.view.path == view.path, "\(name): stale path") }
            if attributes.contains(.inPackage) {
                #expect(held.view.isInPackage == view.isInPackage, "\(name): stale inPackage")
            }
            if attributes.contains(.depth) { #expect(held.view.depth == view.depth, "\(name): stale depth") }
            if attributes.contains(.scope) {
                #expect(held.view.isInDocuments == view.isInDocuments, "\(name): stale scope")
            }
        }
        clock = world.tree.index.clock
    }

    /// Goes away, to come back later with the clock.
    func leave(_ world: World) {
        drain(world)
        world.registry.remove(query)
    }

    func comeBack(_ world: World) throws {
        query = world.registry.add(plan, attributes: attributes)
        let past = try #require(clock.flatMap { world.tree.index.pastChanges(since: $0) })
        world.registry.resume(query, from: past)
        world.errands += world.registry.takeErrands()
        query.count(plan.selectTolerantly(in: world.tree.index.snapshot()).selection.count)
    }
}

/// The tree, the registry, and what a naive observer remembers of both.
private final class World {
    var tree = NaiveTree()
    let hasPackages: Bool
    let registry: LiveQueryRegistry
    /// What there was at one clock of the index.
    struct Moment {
        var views: [ItemIdentifier: NaiveView] = [:]
        var versions: [ItemIdentifier: Int] = [:]
        /// How often the status that a user may know changed from one set to the next.
        var statuses: [ItemIdentifier: [UInt32?: Int]] = [:]
        /// How often the conflict versions that a user may know changed.
        var conflicts: [ItemIdentifier: [UInt32?: Int]] = [:]
        /// How often path, depth and scope of an item changed from one set to the next.
        var places: [ItemIdentifier: [Attribute: Int]] = [:]
        var pastPaths: [ItemIdentifier: Set<String>] = [:]
    }
    private var latest = Moment()
    private var history: [UInt64: Moment] = [:]
    /// The clock of the moment that is looked at; nil for the latest.
    private var shown: UInt64?
    var looksBack: Bool { shown != nil }
    private var moment: Moment { shown.flatMap { history[$0] } ?? latest }
    var views: [ItemIdentifier: NaiveView] { moment.views }
    var places: [ItemIdentifier: [Attribute: Int]] { moment.places }
    var pastPaths: [ItemIdentifier: Set<String>] { moment.pastPaths }

    func item(in row: Row) -> ItemIdentifier? { views.keys.first { $0.row == row } }

    /// Looks back at what a query that is behind can tell of.
    func lookBack(_ query: LiveQuery, _ body: () -> Void) {
        shown = query.snapshot(of: tree.index).clock
        #expect(shown.map { history[$0] != nil } ?? false)
        body()
        shown = nil
    }

    /// What is out on errands, in the order of leaving.
    var errands: [LiveErrand] = []

    /// With small limits what lies below a directory that moved is found by scans, and most change sets are errands.
    init(rowLimit: Int, walkLimit: Int, hasPackages: Bool) {
        self.hasPackages = hasPackages
        registry = LiveQueryRegistry(rowLimit: rowLimit, walkLimit: walkLimit)
    }

    /// The first errand comes back. It may have been run long ago, or only now: it sees nothing of the time between.
    func finishErrand(at place: Int = 0) {
        guard errands.indices.contains(place) else { return }
        let errand = errands.remove(at: place)
        errand.run()
        let back = registry.finish(errand, in: tree.index)
        // Those who have too much to catch up with may tell what was true when they left.
        for query in back where query.isAway { whileBehind?(query) }
        registry.goOn(after: errand, in: tree.index)
        errands += registry.takeErrands()
    }

    /// Brings a query back that is suspended: its subscriber reads again.
    func bringBack(_ query: LiveQuery) {
        guard query.suspendedSince != nil else { return }
        if let errand = registry.bringBack(query, in: tree.index) { errands.append(errand) }
        #expect(!query.hasLostChanges)
    }

    /// Called for a query that came back and is still behind.
    var whileBehind: ((LiveQuery) -> Void)?

    func version(_ id: ItemIdentifier) -> Int { moment.versions[id] ?? 0 }
    func status(_ id: ItemIdentifier, _ user: UInt32?) -> Int { moment.statuses[id]?[user] ?? 0 }

    func conflicts(_ id: ItemIdentifier, _ user: UInt32?) -> Int { moment.conflicts[id]?[user] ?? 0 }

    func process() {
        let changes = tree.index.takeChanges()
        registry.process(changes, in: tree.index)
        errands += registry.takeErrands()
        remember()
    }

    func remember() {
        let old = latest.views
        latest.views = [:]
        for item in tree.items.keys {
            guard let view = tree.view(item) else { continue }
            latest.views[view.id] = view
            latest.versions[view.id] = tree.items[item]?.version
            latest.pastPaths[view.id, default: []].insert(view.path)
            guard let before = old[view.id] else { continue }
            for user in [nil] + NaiveTree.viewers.map(Optional.some)
            where before.seen(by: user).status != view.seen(by: user).status {
                latest.statuses[view.id, default: [:]][user, default: 0] += 1
            }
            for user in [nil] + NaiveTree.viewers.map(Optional.some)
            where before.seen(by: user).conflicts != view.seen(by: user).conflicts {
                latest.conflicts[view.id, default: [:]][user, default: 0] += 1
            }
            if before.conflictOf != view.conflictOf {
                latest.places[view.id, default: [:]][.conflictOf, default: 0] += 1
            }
            if before.isInPackage != view.isInPackage {
                latest.places[view.id, default: [:]][.inPackage, default: 0] += 1
            }
            if before.path != view.path { latest.places[view.id, default: [:]][.path, default: 0] += 1 }
            if before.depth != view.depth { latest.places[view.id, default: [:]][.depth, default: 0] += 1 }
            if before.isInDocuments != view.isInDocuments {
                latest.places[view.id, default: [:]][.scope, default: 0] += 1
            }
        }
        history[tree.index.clock] = latest
    }
}

@Suite struct LiveQueryModelTests {
    @Test(
        arguments: TestLength.part(of: 0..<24 as Range<UInt64>, oneIn: 3) + [298, 455]
            + TestLength.part(of: NaiveTree.seedsOfConflicts, oneIn: 2)
            + TestLength.part(of: NaiveTree.seedsOfArchives, oneIn: 2))
    func subscribersHoldWhatMatches(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // Apart, so that the seeds stay what they were.
        var others = SeededGenerator(seed: ~seed)
        var returns = SeededGenerator(seed: seed &+ 0x9E37)
        let users: [UInt32?] = [nil] + NaiveTree.viewers
        let hasPackages = seed % 5 < 3
        let hasConflicts = NaiveTree.seedsOfConflicts.contains(seed)
        let hasArchives = NaiveTree.seedsOfArchives.contains(seed)
        var conflicts = SeededGenerator(seed: seed &+ 0x5D3C)
        var archives = SeededGenerator(seed: seed &+ 0x2B11)
        let world = World(
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
        var subscribers: [Subscriber] = []
        var away: [Subscriber] = []
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
                    try Subscriber(
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
            while !world.errands.isEmpty, generator.chance(2) {
                world.finishErrand(at: Int.random(in: world.errands.indices, using: &generator))
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
