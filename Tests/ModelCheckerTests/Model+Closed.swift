// What is known of identities where directories may not be read or searched for a while.
// SPDX-License-Identifier: Apache-2.0

// What lies in a closed directory is told of by nobody. When it is open again two states are compared, that of before it was
// closed and what is there now, however many windows lie between: what is there is known by its file, so the rules are those
// of where events were lost. What was in a closed directory and comes to an open one is known in the same way. What goes into
// a closed directory has left the tree, and is another when it is seen again, or not: that is not promised. Nor is it that
// what has left the container from a closed directory is another when it comes back.
extension Model {
    /// A directory may not be read or searched any more, or may again.
    func setClosed(_ place: Place, _ isClosed: Bool) {
        guard let node = node(place), node.isDirectory, node.isClosed != isClosed else { return }
        node.isClosed = isClosed
        windowOfClosing = window
        forSubtree(node) { $0.windowOfClosing = window }
    }

    /// A change is about to be made at these places.
    func willChange(_ places: [Place]) {
        guard places.contains(where: isCloudy) else { return }
        windowOfClosing = window
        for place in places {
            if let node = node(place) { forSubtree(node) { $0.windowOfClosing = window } }
        }
    }

    /// A rename is about to be made.
    func willRename(_ from: Place, _ to: Place) {
        willChange([from, to])
        guard let source = node(from) else { return }
        if roots[from.root].container != roots[to.root].container {
            willLeave(source, isCloudy: isCloudy(from) || isCloudy(to))
        } else if isHidden(to), !isHiddenAllTheTime(from) {
            forSubtree(source) { $0.isUnsure = true }
        }
    }

    /// An exchange is about to be made.
    func willExchange(_ one: Place, _ other: Place) {
        willChange([one, other])
        guard roots[one.root].container != roots[other.root].container else { return }
        for place in [one, other] {
            if let node = node(place) { willLeave(node, isCloudy: isCloudy(one) || isCloudy(other)) }
        }
    }

    /// What cannot be seen is known by its file where it comes back.
    private func willLeave(_ node: Node, isCloudy: Bool) {
        if isCloudy {
            windowOfClosing = window
            node.isUnsure = true
        }
        let isCloudyBelow = isCloudy || node.isClosed || node.windowOfClosing == window
        for child in node.children.values { willLeave(child, isCloudy: isCloudyBelow) }
    }

    /// Whether a directory above is closed.
    func isHidden(_ place: Place) -> Bool { directories(above: place).contains { $0.isClosed } }

    /// The tokens of what lies in closed directories.
    var hidden: [Int] {
        var tokens: [Int] = []
        forEach { node, place in
            if roots[place.root].container != nil, isHidden(place) { tokens.append(node.token) }
        }
        return tokens
    }

    /// Whether what is there no more has ended for sure: what has changed where it could not be seen may be either of two.
    var endsAreSure: Bool { windowOfClosing != window }

    /// Whether an identity is told by comparing two states, and not by what happened between them.
    func isCompared(_ node: Node, _ place: Place) -> Bool {
        node.isUnsure || node.windowOfClosing == window || isCloudy(place)
            // It may have come from what is closed now.
            || (windowOfClosing == window && node.moves > 0)
    }

    /// The window ends: what can be seen has been seen.
    func settleClosed(_ lossy: Bool, _ hasOneLink: (Bytes) -> Bool) {
        forEach { node, place in
            guard roots[place.root].container != nil else { return }
            if !isHidden(place) {
                (node.isUnsure, node.hadSeveralLinks) = (false, false)
                return
            }
            if !hasOneLink(path(place)) { node.hadSeveralLinks = true }
            // What was not heard to come before the directory was closed may as well have come to a closed one.
            let isUnheard = lossy && node.moves > 0 && !isHiddenAllTheTime(place)
            if isUnheard || !isSure(node, place, !node.hadSeveralLinks) { node.isUnsure = true }
        }
    }

    /// Whether a directory above is closed, or was at some time in this window.
    private func isCloudy(_ place: Place) -> Bool {
        directories(above: place).contains { $0.isClosed || $0.windowOfClosing == window }
    }

    private func isHiddenAllTheTime(_ place: Place) -> Bool {
        let above = directories(above: place)
        return above.contains { $0.isClosed } && !above.contains { $0.windowOfClosing == window }
    }
}
