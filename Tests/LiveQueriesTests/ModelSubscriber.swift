// A subscriber of a live query, with a naive idea of what it must be told.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@testable import LiveQueries

/// A subscriber with its items, and every complaint that it could make.
final class ModelSubscriber {
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
    /// The user that asks; nil for one who sees everything.
    let user: UInt32?
    let hasPackages: Bool
    let plan: QueryPlan
    var query: LiveQuery
    var known: [ItemIdentifier: Known] = [:]
    /// Held items that did not match for a while: if one matches again, it counts as changed.
    var hasLeft: Set<ItemIdentifier> = []
    /// The snapshot that waits to be scanned.
    var snapshot: IndexSnapshot?
    /// The clock up to which it has heard everything.
    var clock: UInt64?

    init(
        _ naive: NaiveQuery, _ scope: NaiveScope, _ attributes: AttributeSet, _ world: ModelWorld, user: UInt32?,
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
    private func goOnWithPlan(_ world: ModelWorld) {
        query.awaitsPlan = false
        _ = world.registry.look(query, by: plan, in: world.tree.index)
        world.updates += world.registry.takeBackgroundUpdates()
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
    private func xattrs(_ view: NaiveView) -> [String: String] {
        user.map { view.readers.contains($0) } ?? true ? view.xattrs : view.closed.xattrs
    }

    /// To be called after each change set.
    func notice(_ world: ModelWorld) {
        for id in known.keys {
            if let view = world.views[id], matches(view) { continue }
            hasLeft.insert(id)
        }
    }

    func gather(_ world: ModelWorld) {
        if query.awaitsPlan { goOnWithPlan(world) }
        guard let snapshot else { return }
        let (selection, errors) = plan.selectTolerantly(in: snapshot)
        self.snapshot = nil
        #expect(errors.count == 0)
        query.gather(selection, errors: errors)
    }

    func takeFirst(_ limit: Int, _ world: ModelWorld) {
        for row in query.takeFirst(limit: limit) { add(row, world) }
    }

    private func add(_ row: Row, _ world: ModelWorld) {
        guard let id = world.item(in: row), let view = world.views[id] else {
            Issue.record("\(name): added row \(row) does not live")
            return
        }
        #expect(known[id] == nil, "\(name): added \(view.path), which it holds")
        learn(view, world)
    }

    private func learn(_ view: NaiveView, _ world: ModelWorld) {
        // An item that is told of the past may have left since, and come back.
        if world.looksBack { hasLeft.insert(view.id) } else { hasLeft.remove(view.id) }
        known[view.id] = Known(
            view: view, own: world.version(view.id), status: world.status(view.id, user),
            places: world.places[view.id] ?? [:], conflicts: world.conflicts(view.id, user))
    }

    func take(_ limit: Int, _ world: ModelWorld) {
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

    private func change(_ changed: DeltaItem.Changed, _ world: ModelWorld) {
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
            } || (query.readsXattrs && xattrs(held.view) != xattrs(view))
            || (asksForConflicts && held.conflicts != world.conflicts(id, user))
        #expect(hasReason, "\(name): \(view.path) changed for no reason")
        learn(view, world)
    }

    private var asksForConflicts: Bool {
        attributes.contains(.hasUnresolvedConflicts) || attributes.contains(.conflictVersions)
    }

    func drain(_ world: ModelWorld) {
        gather(world)
        while query.isAway {
            world.bringBack(query)
            world.finishUpdate()
        }
        while query.firstCount > 0 { takeFirst(7, world) }
        while query.pendingCount > 0 { take(5, world) }
        let expected = world.views.values.filter(matches)
        #expect(Set(known.keys) == Set(expected.map(\.id)), "\(name)")
        #expect(query.count == expected.count, "\(name): count")
        // The last state that it was told of an item is the present one, as far as it asked.
        for view in expected {
            guard let held = known[view.id] else { continue }
            #expect(
                held.view.name == view.name && held.view.seen(by: user).status == view.seen(by: user).status,
                "\(name): \(view.path) is stale")
            if query.readsXattrs {
                #expect(xattrs(held.view) == xattrs(view), "\(name): attributes of \(view.path) are stale")
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
    func leave(_ world: ModelWorld) {
        drain(world)
        world.registry.remove(query)
    }

    func comeBack(_ world: ModelWorld) throws {
        query = world.registry.add(plan, attributes: attributes)
        let past = try #require(clock.flatMap { world.tree.index.pastChanges(since: $0) })
        world.registry.resume(query, from: past)
        world.updates += world.registry.takeBackgroundUpdates()
        query.count(plan.selectTolerantly(in: world.tree.index.snapshot()).selection.count)
    }
}
