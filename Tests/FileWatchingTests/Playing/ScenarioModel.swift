// The identities that a random scenario demands: the model of the model checker, told of the steps that are played.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import IdentityModel
import Metadata
import Synchronization

/// Follows the steps of a random scenario from one rest to the next.
struct ScenarioModel {
    private let roots: [(path: String, container: UInt32?)]
    private let model: Model
    private var ledger = IdentityLedger()
    private var isLossy = false
    /// Files that got a link since the last rest, and those that had several names then.
    private var fresh: Set<UInt64> = []
    private var former: Set<UInt64> = []

    init(_ containers: [UInt32: String]) {
        roots = containers.sorted { $0.key < $1.key }.map { ($0.value, $0.key) } + [("/outside", nil)]
        model = Model(
            roots.map { Root(path: Bytes($0.path), container: $0.container.map(String.init)) }, area: 0)
    }

    private func place(_ path: String) -> Place? {
        let path =
            path.hasPrefix("/") ? path : path.hasPrefix("outside") ? "/" + path : "/c/" + (path == "." ? "" : path)
        let names = path.split(separator: "/").map(String.init)
        guard let root = roots.firstIndex(where: { $0.path == "/" + names[0] }) else { return nil }
        return Place(root: root, names: names.dropFirst().map { Bytes($0) })
    }

    /// A step that is about to be played.
    mutating func note(_ step: ScenarioScript.Step, _ kernel: PlayedKernel) {
        let places = step.words.filter { UInt64($0) == nil }.compactMap { place($0) }
        switch step.verb {
        case .create, .symlink, .mkdir, .rm, .mv, .exchange, .link: guard places.first?.isRoot == false else { return }
        default: break
        }
        switch step.verb {
        case .create, .symlink, .mkdir, .rm: model.willChange([places[0]])
        case .mv: model.willRename(places[0], places[1])
        case .exchange: model.willExchange(places[0], places[1])
        case .link: model.willChange(places)
        case .unreadable, .readable, .unsearchable, .searchable: close(step.verb, places[0], kernel)
        default: break
        }
        switch step.verb {
        case .overflow: isLossy = true
        case .restart:
            isLossy = true
            model.restarted(keepsWatches: false)
        case .create, .symlink: model.created(places[0], isDirectory: false)
        case .mkdir: model.created(places[0], isDirectory: true)
        case .rm: model.removed(places[0])
        case .mv: model.renamed(places[0], places[1])
        case .exchange: model.exchanged(places[0], places[1])
        case .link:
            if let inode = kernel.inode(String(decoding: model.path(places[0]), as: UTF8.self)) { fresh.insert(inode) }
            model.linked(places[1])
        default: break
        }
    }

    /// Reading and searching are refused each by itself.
    private func close(_ verb: ScenarioScript.Verb, _ place: Place, _ kernel: PlayedKernel) {
        guard let inode = kernel.inode(String(decoding: model.path(place), as: UTF8.self)) else { return }
        let (isUnreadable, isUnsearchable) = kernel.state.withLock {
            ($0.inodes[inode]?.isUnreadable == true, $0.inodes[inode]?.isUnsearchable == true)
        }
        let closes = verb == .unreadable || verb == .unsearchable
        let isOtherwise = verb == .unreadable || verb == .readable ? isUnsearchable : isUnreadable
        model.setInaccessible(place, closes || isOtherwise)
    }

    /// The watcher has begun: it knows the present entries.
    mutating func begin(_ tree: DictionaryTree, _ kernel: PlayedKernel) { _ = check(tree, kernel) }

    /// Returns the faults of the identities in the tree, at a rest. Begins anew from here.
    mutating func check(_ tree: DictionaryTree, _ kernel: PlayedKernel) -> [String] {
        var seen: [Bytes: String] = [:]
        var single: Set<Bytes> = []
        var several: Set<UInt64> = []
        for (root, container) in roots {
            guard let container else { continue }
            for (bytes, status) in kernel.contents(below: root) {
                let path = Bytes(root).entry(bytes)
                let identity = tree.identity(at: String(decoding: bytes, as: UTF8.self), in: container)
                if let identity { seen[path] = String(identity) }
                let isSeveral = status.links > 1 && status.kind != .directory
                if isSeveral { several.insert(status.inode) }
                let had = fresh.contains(status.inode) || former.contains(status.inode)
                if status.kind == .directory || (!isSeveral && !had) { single.insert(path) }
            }
        }
        let wrong = ledger.check(
            seen, model.observations(lossy: isLossy) { single.contains($0) }, hidden: model.hidden,
            ends: model.endsAreSure)
        model.beginWindow(lossy: isLossy)
        (fresh, former, isLossy) = ([], several, false)
        return wrong.sorted()
    }
}
