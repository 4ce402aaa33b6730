// Which entry is which: a model of names and the identities that the interface promises them, kept by what was done.
// SPDX-License-Identifier: Apache-2.0

/// The names of an area that one thread alone changes. Each entry has a token, which stands for the identity that it must
/// keep: a rename keeps it, a rename over another entry takes over the other's, and an entry that leaves its container gets
/// another when it comes back. Windows are the times between two quiet moments.
package final class Model {
    package final class Node {
        fileprivate(set) var token: Int
        package let isDirectory: Bool
        fileprivate(set) var isAmbiguous = false
        /// For a directory, whether its entries may not be seen (`Model+Inaccessible.swift`).
        package var isInaccessible = false
        /// When that changed last.
        var windowOfMode = -1
        /// When it, or an entry in it, was closed, was open again, or changed where it could not be seen.
        var windowOfClosing = -1
        /// When it was renamed into an inaccessible directory from where it could be seen.
        var windowOfHiding = -1
        /// When it came to where it can be seen from where it could not, in looks.
        var lookOfSight = -1
        /// Whether it has changed where that could not be seen, and has not been seen since.
        var isUnsure = false
        /// Whether it has left a container from where that could not be seen, which may know it again for what it was.
        var hasLeftUnseen = false
        /// Whether it had several hard links when a window ended in which it could not be seen, and has not been seen since.
        var hadSeveralLinks = false
        /// For a directory, whether it could be seen at the end of a window, and has been where its watch stays with it since.
        package var isWatched = false
        fileprivate var window: Int
        /// The same of what lies in it, where it was renamed over another.
        fileprivate var windowOfContents = -1
        /// When it left its container.
        fileprivate var windowOfLeaving = -1
        /// The node that it was exchanged with in this window.
        fileprivate weak var partner: Node?
        /// When it was renamed over another, whose row knows another file until it is looked at.
        fileprivate var windowOfReplacing = -1
        /// How often it was renamed in this window.
        fileprivate(set) var moves = 0
        /// Where it came from when it moved, in this window, into a directory that was made in it.
        fileprivate var origin: (parent: Node, name: Bytes)?
        /// The names that it had in this window.
        fileprivate var formerNames: [(parent: Node, name: Bytes)] = []
        package fileprivate(set) var children: [Bytes: Node] = [:]
        /// Dictionaries have another order in each process.
        package fileprivate(set) var order: [Bytes] = []

        fileprivate init(token: Int, isDirectory: Bool, window: Int) {
            self.token = token
            self.isDirectory = isDirectory
            self.window = window
        }

        fileprivate func insert(_ node: Node, _ name: Bytes) {
            if children.updateValue(node, forKey: name) == nil { order.append(name) }
        }

        @discardableResult
        fileprivate func remove(_ name: Bytes) -> Node? {
            guard let node = children.removeValue(forKey: name) else { return nil }
            order.removeAll { $0 == name }
            return node
        }
    }

    private struct Name: Hashable {
        var directory: Int
        var name: Bytes
    }

    package private(set) var roots: [Root]
    private let top: [Node]
    private var lastToken: Int
    private(set) var window = 0
    /// When anything was closed or open again, or changed where it could not be seen.
    var windowOfClosing = -1
    /// How often everything that can be seen has been looked at for sure.
    var looks = 0
    /// Names whose entry was unlinked, or left its container, in this window.
    private var unlinked: Set<Name> = []
    /// How often an entry came to or left a place in this window.
    private var touched: [Place: Int] = [:]
    private var placesAtStart: [Int: Place] = [:]
    private var occupiedAtStart: Set<Place> = []

    /// Entries below a root are in a container from now on.
    package func adopted(_ root: Int, by container: String) { roots[root].container = container }

    /// `area` tells the tokens of several models apart.
    package init(_ roots: [Root], area: Int) {
        self.roots = roots
        lastToken = (area + 1) << 40
        top = roots.indices.map { Node(token: -1 - $0, isDirectory: true, window: 0) }
    }

    private func newToken() -> Int {
        lastToken += 1
        return lastToken
    }

    package func node(_ place: Place) -> Node? {
        var node: Node? = top[place.root]
        for name in place.names { node = node?.children[name] }
        return node
    }

    package func path(_ place: Place) -> Bytes { place.names.reduce(roots[place.root].path) { $0.entry($1) } }

    // MARK: Changes

    package func created(_ place: Place, isDirectory: Bool) {
        guard let parent = node(place.parent), let name = place.names.last else { return }
        land(Node(token: newToken(), isDirectory: isDirectory, window: window), parent, name, place)
    }

    /// A hard link: where another name of the file goes meanwhile, it may as well have moved here.
    package func linked(_ place: Place) {
        created(place, isDirectory: false)
        node(place)?.isAmbiguous = true
    }

    /// Unlinked, or removed with all below it.
    package func removed(_ place: Place) {
        guard let parent = node(place.parent), let name = place.names.last, let node = parent.remove(name)
        else { return }
        forSubtree(node) {
            disturb($0)
            openFormerNames(of: $0)
        }
        lostTrack(of: node)
        touched[place, default: 0] += 1
        unlinked.insert(Name(directory: parent.token, name: name))
    }

    package func renamed(_ from: Place, _ to: Place) {
        guard from != to, let oldParent = node(from.parent), let newParent = node(to.parent),
            let oldName = from.names.last, let newName = to.names.last, let source = oldParent.remove(oldName)
        else { return }
        touched[from, default: 0] += 1
        source.formerNames.append((oldParent, oldName))
        source.moves += 1
        disturb(source)
        if roots[from.root].container != roots[to.root].container {
            renew(source)
            unlinked.insert(Name(directory: oldParent.token, name: oldName))
        }
        let hasReplaced = source.windowOfReplacing == window
        if source.origin == nil || hasReplaced, isNewAbove(to) {
            // If it was in such a directory before it replaced another, the place it left then counts too.
            if hasReplaced { lostTrack(of: source) }
            source.origin = (oldParent, oldName)
            if hasReplaced {
                lostTrack(of: source)
                source.isAmbiguous = true
            }
        }
        guard let target = newParent.children[newName] else { return land(source, newParent, newName, to) }
        disturb(target)
        // The target's identity with the source's contents. One that was born in this window may never have been seen:
        // then the rename is as good as one to a free name.
        source.isAmbiguous =
            target.isAmbiguous || target.window == window || lostTrack(of: target)
        // If this is removed, the item of the target may go on where it was before.
        source.formerNames += target.formerNames
        if source.isDirectory {
            // A name in it that was unlinked is no other name to a later look.
            let former = unlinked.filter { $0.directory == source.token }
            for name in former { unlinked.insert(Name(directory: target.token, name: name.name)) }
        }
        source.token = target.token
        source.windowOfContents = max(source.windowOfContents, source.window)
        source.window = target.window
        source.windowOfReplacing = window
        newParent.insert(source, newName)
        touched[to, default: 0] += 1
    }

    /// `haveSeveralLinks` tells whether one of the two files has other names. Their removal is told of the same file.
    package func exchanged(_ one: Place, _ other: Place, haveSeveralLinks: Bool = false) {
        guard one != other, let oneParent = node(one.parent), let otherParent = node(other.parent),
            let oneName = one.names.last, let otherName = other.names.last,
            let first = oneParent.children[oneName], let second = otherParent.children[otherName]
        else { return }
        if roots[one.root].container != roots[other.root].container {
            // Neither a move inside a container nor a rename over an entry: the interface does not say.
            for node in [first, second] {
                renew(node)
                node.isAmbiguous = true
            }
        }
        for node in [first, second] { disturb(node) }
        // As a rename of such a one: its own file was never seen.
        if first.windowOfReplacing == window, isNewAbove(other) { first.isAmbiguous = true }
        if second.windowOfReplacing == window, isNewAbove(one) { second.isAmbiguous = true }
        if first.window == window || second.window == window || first.isAmbiguous || second.isAmbiguous
            || first.windowOfReplacing == window || second.windowOfReplacing == window || haveSeveralLinks
        {
            // One look that comes after all of it may find nothing that was there before. Where the item of one is not known,
            // the other may be taken for it: `exchange a b; rm b; exchange a c` is a save, and then an exchange of its result.
            // `mv b a; exchange a c` was told as a new item at a name in 2 of 281 runs, and gatherd(8) has it as an exception.
            (first.isAmbiguous, second.isAmbiguous) = (true, true)
        } else {
            (first.partner, second.partner) = (second, first)
        }
        first.formerNames.append((oneParent, oneName))
        second.formerNames.append((otherParent, otherName))
        oneParent.insert(second, oneName)
        otherParent.insert(first, otherName)
        for place in [one, other] { touched[place, default: 0] += 2 }
    }

    /// Another file has the place of this one, or none. If it went into a directory without a watch yet, all that was
    /// told is that it left its former name: an entry with that name may be the old one saved anew, and the one that replaced
    /// it in its new place may be new. True if so.
    @discardableResult
    private func lostTrack(of node: Node) -> Bool {
        guard let (parent, name) = node.origin else { return false }
        unlinked.insert(Name(directory: parent.token, name: name))
        if let other = parent.children[name] { other.isAmbiguous = true }
        return true
    }

    /// A removed file may be the backup of a program that saves: then another file at its former name goes on as the same
    /// item. Whether the two are heard of together is not known here.
    private func openFormerNames(of node: Node) {
        for (parent, name) in node.formerNames where !node.isDirectory {
            unlinked.insert(Name(directory: parent.token, name: name))
            parent.children[name]?.isAmbiguous = true
        }
    }

    private func land(_ node: Node, _ parent: Node, _ name: Bytes, _ place: Place) {
        // Events are hints: one look at a name that was unlinked and given again sees another file under it, which may be
        // the old entry saved anew.
        if unlinked.contains(Name(directory: parent.token, name: name)) { node.isAmbiguous = true }
        parent.insert(node, name)
        touched[place, default: 0] += 1
    }

    /// An exchange comes as two renames, and where one of the two has been changed once more nothing tells it from others:
    /// `exchange a b; mv c b; rm a` and `mv a b; mv b a; mv c b; rm a` queue the same events and leave the same, but b is what
    /// was a after the first, and what was c after the second.
    private func disturb(_ node: Node) {
        guard let partner = node.partner else { return }
        for node in [node, partner] { forSubtree(node) { $0.isAmbiguous = true } }
        (node.partner, partner.partner) = (nil, nil)
    }

    func forSubtree(_ node: Node, _ body: (Node) -> Void) {
        body(node)
        for child in node.children.values { forSubtree(child, body) }
    }

    /// Other entries from now on: they come from elsewhere. An entry that left and came back between two looks never left.
    private func renew(_ node: Node) {
        disturb(node)
        if node.windowOfLeaving == window { node.isAmbiguous = true }
        node.windowOfLeaving = window
        node.token = newToken()
        node.window = window
        for child in node.children.values { renew(child) }
    }

    // MARK: Observations

    /// How far an identity is determined.
    package enum Rule {
        /// The token's own, a new one where it has none yet.
        case exact
        /// Any but one that has ended.
        case open
    }

    package struct Observation {
        package var path: Bytes
        package var token: Int
        package var rule: Rule
    }

    /// `lossy` is the window that ends; `hasOneLink` is of what cannot be seen.
    package func beginWindow(lossy: Bool = false, hasOneLink: (Bytes) -> Bool = { _ in true }) {
        settleInaccessible(lossy, hasOneLink)
        window += 1
        // Places that cannot be seen are compared with their state when they could be.
        let (former, formerPlaces) = (occupiedAtStart, placesAtStart)
        (unlinked, touched, placesAtStart) = ([], touched.filter { isHidden($0.key) }, [:])
        occupiedAtStart = former.filter { isHidden($0) }
        forEach { node, place in
            node.isAmbiguous = false
            node.partner = nil
            node.origin = nil
            node.formerNames = []
            if isHidden(place) {
                guard node.windowOfHiding == window - 1, !node.isUnsure else {
                    placesAtStart[node.token] = formerPlaces[node.token] ?? place
                    return
                }
                // It was heard to come there.
                touched[place] = nil
            }
            node.moves = 0
            placesAtStart[node.token] = place
            occupiedAtStart.insert(place)
        }
    }

    /// The observation due for each entry in a container. `hasOneLink` tells whether a path has had one hard link all the time;
    /// `movesAreTold`, whether the directories from and to which something moved were watched.
    ///
    /// Open is only what the kernel cannot tell. If several names of a file come to light in a directory which was not
    /// watched yet, or has taken the place of one that was, none is known to be another's continuation, though the others have
    /// ended since: `mkdir d; mv b d/b; rm e` and `mkdir d; ln e d/b; mv b outside/b; rm outside/b; rm e` tell the same and
    /// leave the same, but d/b is what was b after the first, and new after the second. So it is with one name of a file that
    /// left a container and another that came to it: it may be one that never left. Where events were lost
    /// (`lossy`: an overflow, directories without watches, a daemon that was away) two states are compared, and of the entries
    /// only these are sure: those that nothing touched, and those that moved once, from a name that nobody took to one that
    /// nobody had: a row whose last move was not heard of stands under a name on the way, and whatever is told of that next is
    /// told of it. An identity is told by its file then. So none is sure of an entry that took in another's contents before it
    /// moved: its own file is gone, and `mv a b; mv c b; mv b d` has left what `rm a; mv c d` leaves. Nor of one that had the
    /// name of another on the way that was unlinked before: where that alone was lost, `rm b; mv c b; mv b d` is told as the
    /// former. Nor of a file that had several names, of which one is left: it may be any of them.
    package func observations(lossy: Bool, movesAreTold: Bool = true, hasOneLink: (Bytes) -> Bool) -> [Observation] {
        var observations: [Observation] = []
        forEach { node, place in
            guard roots[place.root].container != nil else { return }
            let path = path(place)
            let isSure =
                lossy || isCompared(node, place)
                ? isSure(node, place, movesAreTold && hasOneLink(path) && !node.hadSeveralLinks) && !node.isUnsure
                    && !isUnreceived(node, lossy)
                : !isOpen(node, place) && (!(isNewAbove(place) || hasLeft(node)) || hasOneLink(path))
            observations.append(Observation(path: path, token: node.token, rule: isSure ? .exact : .open))
        }
        return observations
    }

    /// Whether an identity is ambiguous, or that of a directory above: what came there came to one of two.
    private func isOpen(_ node: Node, _ place: Place) -> Bool {
        node.isAmbiguous || directories(above: place).contains { $0.isAmbiguous }
    }

    /// Whether it lies in a directory that was not watched when this window began.
    private func isNewAbove(_ place: Place) -> Bool {
        directories(above: place).contains { $0.window == window || $0.windowOfContents == window }
    }

    func directories(above place: Place) -> [Node] {
        var nodes: [Node] = []
        var node: Node? = top[place.root]
        for name in place.names.dropLast() {
            node = node?.children[name]
            if let node { nodes.append(node) }
        }
        return nodes
    }

    /// Whether it has left its container in this window, or come to it.
    func hasLeft(_ node: Node) -> Bool { node.windowOfLeaving == window }

    func isSure(_ node: Node, _ place: Place, _ hasOneLink: Bool) -> Bool {
        guard let start = placesAtStart[node.token], !isTouchedAbove(place) else { return false }
        if start == place { return touched[place] == nil }
        return hasOneLink && node.moves == 1 && !node.isAmbiguous && node.windowOfReplacing != window
            && !isTouchedAbove(start) && touched[start] == 1
            && touched[place] == 1
            && !occupiedAtStart.contains(place)
    }

    private func isTouchedAbove(_ place: Place) -> Bool {
        var above = place.parent
        while !above.isRoot {
            if touched[above] != nil { return true }
            above = above.parent
        }
        return false
    }

    package func forEach(_ body: (Node, Place) -> Void) {
        func visit(_ node: Node, _ place: Place) {
            for name in node.order {
                guard let child = node.children[name] else { continue }
                let place = place.entry(name)
                body(child, place)
                visit(child, place)
            }
        }
        for (root, node) in top.enumerated() { visit(node, Place(root: root, names: [])) }
    }
}
