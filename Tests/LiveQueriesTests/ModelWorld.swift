// A tree with live queries, and a naive observer of both.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@testable import LiveQueries

/// The tree, the registry, and the memory of a naive observer of both.
final class ModelWorld {
    var tree = NaiveTree()
    let hasPackages: Bool
    let registry: LiveQueryRegistry
    /// The items at one clock of the index.
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

    /// The background updates that are out, in the order of leaving.
    var updates: [BackgroundUpdate] = []

    /// With small limits what lies below a directory that moved is found by scans, and most change sets are background updates.
    init(rowLimit: Int, walkLimit: Int, hasPackages: Bool) {
        self.hasPackages = hasPackages
        registry = LiveQueryRegistry(rowLimit: rowLimit, walkLimit: walkLimit)
    }

    /// The first background update comes back. It may have been run long ago, or only now: it sees nothing of the time between.
    func finishUpdate(at place: Int = 0) {
        guard updates.indices.contains(place) else { return }
        let update = updates.remove(at: place)
        update.run()
        let back = registry.finish(update, in: tree.index)
        // Those who have too much to catch up with may tell what was true when they left.
        for query in back where query.isAway { whileBehind?(query) }
        registry.goOn(after: update, in: tree.index)
        updates += registry.takeBackgroundUpdates()
    }

    /// Brings a query back that is suspended: its subscriber reads again.
    func bringBack(_ query: LiveQuery) {
        guard query.suspendedSince != nil else { return }
        if let update = registry.bringBack(query, in: tree.index) { updates.append(update) }
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
        updates += registry.takeBackgroundUpdates()
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
