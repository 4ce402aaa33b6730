// The identities that a random scenario demands: an entry that only moves within its container keeps its own.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import Synchronization

/// Follows the steps of a random scenario from one rest to the next. Only the sure cases are judged: entries with one name
/// that were there before, that neither they nor a directory above them replaced anything, left the container or were
/// exchanged, and whose former and present names nobody else had meanwhile. An overflow leaves none.
struct MoveModel {
    private struct Name: Hashable {
        var directory: UInt64
        var name: String
    }

    private struct Known {
        var identity: Int
        var container: UInt32
        var above: [UInt64]
    }

    private var known: [UInt64: Known] = [:]
    private var open: Set<UInt64> = []
    /// Names that were given up since, and by whom.
    private var left: [Name: UInt64] = [:]
    private var isLost = false

    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : path.hasPrefix("outside") ? "/" + path : "/c/" + path
    }

    private func name(_ path: String, _ kernel: PlayedKernel) -> Name {
        let names = path.split(separator: "/").map(String.init)
        let parent = "/" + names.dropLast().joined(separator: "/")
        return Name(directory: kernel.inode(parent) ?? 0, name: names.last ?? "")
    }

    /// A step that is about to be played.
    mutating func note(_ step: ScenarioScript.Step, _ kernel: PlayedKernel) {
        let paths = step.words.filter { UInt64($0) == nil }.map(absolute)
        switch step.verb {
        case .overflow, .restart: isLost = true
        case .rm, .create, .mkdir, .symlink:
            land(nil, name(paths[0], kernel))
            if let inode = kernel.inode(paths[0]) {
                left[name(paths[0], kernel)] = inode
                open.insert(inode)
            } else if step.words.count > 1, let inode = UInt64(step.words[1]) {
                open.insert(inode)
            }
        case .link:
            if let inode = kernel.inode(paths[0]) { open.insert(inode) }
            land(nil, name(paths[1], kernel))
        case .mv:
            guard let inode = kernel.inode(paths[0]) else { return }
            if let target = kernel.inode(paths[1]) { open.formUnion([inode, target]) }
            let leaves = root(paths[0]) != root(paths[1])
            if leaves || isUnreported(paths[1], kernel) { open.insert(inode) }
            if leaves {
                // Its entries leave with it, and may leave it where it comes back.
                open.formUnion(kernel.contents(below: paths[0], asSeen: false).values.map(\.inode))
            }
            land(inode, name(paths[1], kernel))
            left[name(paths[0], kernel)] = inode
        case .exchange:
            for path in paths { if let inode = kernel.inode(path) { open.insert(inode) } }
        default: break
        }
    }

    /// Whether no event tells what comes to a place: the directory is closed and has no watch, or one above it is closed, below
    /// which none is kept. An entry that goes there has left for all that anybody can know.
    private func isUnreported(_ path: String, _ kernel: PlayedKernel) -> Bool {
        var names = path.split(separator: "/")
        var isParent = true
        while names.count > 1 {
            names.removeLast()
            let inode = kernel.inode("/" + names.joined(separator: "/")) ?? 0
            let (isInaccessible, hasWatch) = kernel.state.withLock { state in
                let entry = state.inodes[inode]
                return (entry?.isUnreadable == true || entry?.isUnsearchable == true, entry?.watch != nil)
            }
            if isInaccessible, !isParent || !hasWatch { return true }
            isParent = false
        }
        return false
    }

    private func root(_ path: String) -> Substring { path.split(separator: "/").first ?? "" }

    private mutating func land(_ inode: UInt64?, _ name: Name) {
        guard let former = left[name], former != inode else { return }
        open.insert(former)
        if let inode { open.insert(inode) }
    }

    /// Returns the faults of the identities in the tree, at a rest. Begins anew from here.
    mutating func check(_ tree: DictionaryTree, _ kernel: PlayedKernel, _ containers: [UInt32: String]) -> [String] {
        var wrong: [String] = []
        var now: [UInt64: Known] = [:]
        for (container, root) in containers {
            for (bytes, status) in kernel.contents(below: root) where status.kind == .directory || status.links == 1 {
                let path = String(decoding: bytes, as: UTF8.self)
                guard let identity = tree.identity(at: path, in: container) else { continue }
                var above: [UInt64] = []
                var names = path.split(separator: "/")
                while names.count > 1 {
                    names.removeLast()
                    if let inode = kernel.inode(root + "/" + names.joined(separator: "/")) { above.append(inode) }
                }
                now[status.inode] = Known(identity: identity, container: container, above: above)
                guard !isLost, let before = known[status.inode], before.container == container,
                    open.isDisjoint(with: [status.inode] + above + before.above), before.identity != identity
                else { continue }
                wrong.append("\(root)/\(path): was \(before.identity), is \(identity)")
            }
        }
        (known, open, left, isLost) = (now, [], [:], false)
        return wrong.sorted()
    }
}
