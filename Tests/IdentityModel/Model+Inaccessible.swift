// The rules of identities where directories may not be read or searched for a while.
// SPDX-License-Identifier: Apache-2.0

// The kernel reports nothing inside an inaccessible directory. When it is accessible again two states are compared, that of
// before it was inaccessible and the present one, however many windows lie between: an entry is known by its file, so the rules
// are those for lost events. An entry that comes from an inaccessible directory to an accessible one is known in the same way,
// and so is one that goes into one that was watched when it became inaccessible. An entry that goes elsewhere without an event,
// into a directory below an inaccessible one or one that could not be read before, has left the tree. It may be another when it
// is seen again: that is not promised. Nor is it that an entry that left the container from an inaccessible directory is
// another when it comes back.
extension Model {
    /// A directory may not be read or searched any more, or may again.
    package func setInaccessible(_ place: Place, _ isInaccessible: Bool) {
        guard let node = node(place), node.isDirectory, node.isInaccessible != isInaccessible else { return }
        node.isInaccessible = isInaccessible
        node.windowOfMode = window
        windowOfClosing = window
        forSubtree(node) { $0.windowOfClosing = window }
        if !isInaccessible { comesIntoSight(node) }
        guard isAway(place.root) else { return }
        forEach { node, other in
            if other.root == place.root, isBelowInaccessible(other) { node.isUnsure = true }
        }
    }

    /// Whether a container's own directory is closed, or was in this window: nothing is kept then of what lay in directories
    /// that were closed before it, or are found so before that is heard.
    private func isAway(_ root: Int) -> Bool {
        guard let top = node(Place(root: root, names: [])) else { return false }
        return top.isInaccessible || top.windowOfMode == window
    }

    private func isBelowInaccessible(_ place: Place) -> Bool {
        directories(above: place).contains { $0.isInaccessible || $0.windowOfMode == window }
    }

    /// A change is about to be made at these places.
    package func willChange(_ places: [Place]) {
        guard places.contains(where: isCloudy) else { return }
        windowOfClosing = window
        for place in places {
            if let node = node(place) { forSubtree(node) { $0.windowOfClosing = window } }
        }
    }

    /// A rename is about to be made.
    package func willRename(_ from: Place, _ to: Place) {
        willChange([from, to])
        guard let source = node(from) else { return }
        if isHidden(from) { comesIntoSight(source) }
        if roots[from.root].container != roots[to.root].container {
            willLeave(source, isCloudy: isCloudy(from) || isCloudy(to))
        } else if isHidden(to) {
            let wasSeen = !isHiddenAllTheTime(from)
            let isUnsure = (wasSeen && !isTold(to)) || (isAway(to.root) && isBelowInaccessible(to))
            forSubtree(source) {
                if isUnsure { $0.isUnsure = true }
                if wasSeen { $0.windowOfHiding = window }
                $0.isWatched = false
            }
        }
    }

    /// An exchange is about to be made.
    package func willExchange(_ one: Place, _ other: Place) {
        willChange([one, other])
        for place in [one, other] {
            if isHidden(place), let node = node(place) { comesIntoSight(node) }
        }
        guard roots[one.root].container != roots[other.root].container else { return }
        for place in [one, other] {
            if let node = node(place) { willLeave(node, isCloudy: isCloudy(one) || isCloudy(other)) }
        }
    }

    /// Whether somebody is told what comes to a place in a directory that is inaccessible: it was watched before that, and
    /// stays so.
    private func isTold(_ place: Place) -> Bool { node(place.parent)?.isWatched == true && !isCloudy(place.parent) }

    /// An entry that cannot be seen is known by its file if it comes back.
    private func willLeave(_ node: Node, isCloudy: Bool) {
        node.isWatched = false
        // A closing in this window counts too: between the inaccessible directory and here, no look may have seen it.
        let isCloudy = isCloudy || node.windowOfClosing == window
        if isCloudy { (windowOfClosing, node.hasLeftUnseen) = (window, true) }
        if node.hasLeftUnseen { node.isUnsure = true }
        for child in node.children.values { willLeave(child, isCloudy: isCloudy || node.isInaccessible) }
    }

    /// The daemon begins anew with what it has saved: entries of inaccessible directories are not known from that, and without
    /// the watches that it had it finds some closed, and gets none of them.
    package func restarted(keepsWatches: Bool) {
        forEach { node, place in
            if isCloudy(place) || node.windowOfClosing == window { node.isUnsure = true }
            if !keepsWatches { node.isWatched = false }
        }
    }

    /// The directories in which something lies, that of the container too.
    private func enclosing(_ place: Place) -> [Node] {
        guard !place.isRoot, let root = node(Place(root: place.root, names: [])) else { return [] }
        return [root] + directories(above: place)
    }

    /// Whether a directory above is closed.
    package func isHidden(_ place: Place) -> Bool { enclosing(place).contains { $0.isInaccessible } }

    /// This could not be seen until now, nor does anybody watch it before it is looked at.
    private func comesIntoSight(_ node: Node) { forSubtree(node) { $0.lookOfSight = looks } }

    /// Whether an entry came into sight, and has not been looked at for sure since.
    package func isUnseen(_ place: Place) -> Bool { node(place)?.lookOfSight == looks }

    /// All that can be seen has been looked at.
    package func wasLookedAt() { looks += 1 }

    /// The tokens of what lies in inaccessible directories.
    package var hidden: [Int] {
        var tokens: [Int] = []
        forEach { node, place in
            if roots[place.root].container != nil, isHidden(place) { tokens.append(node.token) }
        }
        return tokens
    }

    /// Whether a missing entry has ended for sure: one that has changed where it could not be seen may be either of two.
    package var endsAreSure: Bool { windowOfClosing != window }

    /// Whether it is known by a rename into an inaccessible directory, which was lost: it may have been taken for one that is
    /// gone.
    func isUnreceived(_ node: Node, _ lossy: Bool) -> Bool { lossy && node.windowOfHiding == window }

    /// Whether an identity is told by comparing two states, and not by what happened between them.
    func isCompared(_ node: Node, _ place: Place) -> Bool {
        node.isUnsure || node.windowOfClosing == window || isCloudy(place)
            // It may have come from what is closed now.
            || (windowOfClosing == window && node.moves > 0)
    }

    /// The window ends: all visible entries have been seen.
    func settleInaccessible(_ lossy: Bool, _ hasOneLink: (Bytes) -> Bool) {
        wasLookedAt()
        forEach { node, place in
            // An entry that left without an event may lie in a directory that was closed then.
            if lossy, !endsAreSure, hasLeft(node) { node.hasLeftUnseen = true }
            guard roots[place.root].container != nil else { return }
            node.isWatched =
                node.isDirectory && !isHidden(place) && (!node.isInaccessible || node.isWatched && !isCloudy(place))
            if !isHidden(place) {
                (node.isUnsure, node.hadSeveralLinks) = (false, false)
                return
            }
            if !hasOneLink(path(place)) { node.hadSeveralLinks = true }
            // An entry that came without an event, into an inaccessible directory or into one closed then, may be gone for all
            // that anybody knows.
            let isUnreceived = isUnreceived(node, lossy) || (lossy && node.moves > 0 && !isHiddenAllTheTime(place))
            if isUnreceived || !isSure(node, place, !node.hadSeveralLinks) { node.isUnsure = true }
        }
    }

    /// Whether a directory above is closed, or was at some time in this window.
    private func isCloudy(_ place: Place) -> Bool {
        enclosing(place).contains { $0.isInaccessible || $0.windowOfClosing == window }
    }

    private func isHiddenAllTheTime(_ place: Place) -> Bool {
        let above = enclosing(place)
        return above.contains { $0.isInaccessible } && !above.contains { $0.windowOfClosing == window }
    }
}
