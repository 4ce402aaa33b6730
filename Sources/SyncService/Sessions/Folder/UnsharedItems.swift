// The items of a folder that are not sent.
// SPDX-License-Identifier: Apache-2.0

/// Knows which items of a folder are not sent, since a pattern or their kind prevents it. Lists all items of a folder whose state
/// differs from that of the container.
struct UnsharedItems {
    /// The ignore patterns, without those that leave a part to another folder of the container.
    private var patterns: [String] = []
    private var arePatternsDoubtful = true
    private var unshared: Set<String> = []
    /// The changed paths of which it is not known whether a pattern prevents them.
    private var doubtful: Set<String> = []
    /// Whether ``members`` is kept, since the items of this folder have another state than those of the container.
    private var listsMembers = false
    /// The paths of all items.
    private var members: Set<String> = []

    /// Whether patterns prevent that some items are sent.
    var isIgnoring: Bool { !patterns.isEmpty }

    /// The items that may have another state than those of the container.
    var parts: Set<String> { unshared.union(members) }

    /// Adds ``parts`` to a set: a union of its own would hash each path once more.
    func addParts(to set: inout Set<String>) {
        set.formUnion(unshared)
        set.formUnion(members)
    }

    /// Whether an item is not sent.
    func contains(_ part: String) -> Bool { unshared.contains(part) }

    // MARK: Changes

    /// Notes a change of an item. Where patterns are, the scan tells whether it is sent.
    mutating func note(_ part: String, isRemoved: Bool) {
        if isRemoved {
            members.remove(part)
        } else if listsMembers {
            members.insert(part)
        }
        if isRemoved || !isIgnoring { unshared.remove(part) }
    }

    /// Notes an item of a kind that is never sent.
    mutating func note(special part: String) { unshared.insert(part) }

    // MARK: Patterns

    /// Whether the patterns, or items that they may prevent, have to be looked at.
    var hasDoubts: Bool { arePatternsDoubtful || !doubtful.isEmpty }

    /// Notes that the patterns may be others.
    mutating func doubtPatterns() { arePatternsDoubtful = true }

    /// Returns whether the patterns have to be read, and takes that for done.
    mutating func takePatternDoubt() -> Bool {
        defer { arePatternsDoubtful = false }
        return arePatternsDoubtful
    }

    /// Takes the patterns. Returns whether they differ from those before.
    mutating func take(patterns new: [String]) -> Bool {
        defer { patterns = new }
        return patterns != new
    }

    /// Notes changed items. Patterns may prevent that they are sent.
    mutating func doubt(_ parts: some Sequence<String>) { if isIgnoring { doubtful.formUnion(parts) } }

    /// Returns an item of which it is not known whether a pattern prevents it; nil if there is none.
    mutating func takeDoubtful() -> String? { doubtful.popFirst() }

    /// Notes whether an item is sent.
    mutating func note(_ part: String, isShared: Bool) {
        if isShared {
            unshared.remove(part)
        } else {
            unshared.insert(part)
        }
    }

    // MARK: Lists

    /// Takes all items of a kind that is never sent. The others are looked at afterwards, if there are patterns.
    mutating func take(special parts: Set<String>) { unshared = parts }

    /// Takes all items of the folder. `differs` says whether its state is another than that of the container.
    mutating func take(items: Set<String>, differs: Bool) {
        listsMembers = differs
        if differs { members.formUnion(items) }
    }
}
