// What changed of a directory that may change answers for what lies below it.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// What changed of a directory that may change the answers for what lies below it, though nothing of that changed itself.
///
/// It is what makes a change pass go below a directory. A query names the causes that it depends on
/// (``QueryPlan/causes``); where one of them applies, each item below that comes into question is tested in its former
/// surroundings and in the present ones: on ``FormerView`` and on the snapshot. So a plan that reads anything else of the
/// directories above (their modes, say) only has to name its cause, and to be found by
/// ``SubtreeChanges/causes(of:at:)``.
struct SubtreeChange: Sendable {
    /// What of the directories above an item an answer can depend on.
    struct Causes: OptionSet, Sendable, Hashable {
        let rawValue: UInt8
        /// Where they lie: path, depth and scope.
        static let place = Causes(rawValue: 1)
        /// Who may enter and list them: mode, owner, group, access list, and those of the directories above.
        static let access = Causes(rawValue: 2)
        /// Whether one of them is a package.
        static let package = Causes(rawValue: 4)
    }

    var causes: Causes
    /// Relative to the directory all that lies below lies where it lay, so what changed of the place is the same for all.
    var difference = ItemDifference()
    /// Its path before, and the length of its path now.
    var formerPath: [UInt8] = []
    var pathCount = 0

    /// Whether a query may have to tell something of what lies below.
    func concerns(_ query: LiveQuery) -> Bool {
        !causes.isDisjoint(with: query.plan.causes) || difference.concerns(query)
    }
}

/// What differs between two states of an item.
struct ItemDifference: Sendable {
    /// The name, the directory, or anything that the file system keeps.
    var own = false
    /// Its extra attributes.
    var extras = false
    var path = false
    var depth = false
    var scope = false
    /// Whether it lies inside a package.
    var inPackage = false

    /// Whether a subscriber whose query matched before and matches now is to hear of it.
    func concerns(_ query: LiveQuery) -> Bool {
        own || (extras && query.readsExtras) || (path && query.attributes.contains(.path))
            || (inPackage && query.attributes.contains(.inPackage))
            || (depth && query.attributes.contains(.depth)) || (scope && query.attributes.contains(.scope))
    }
}

/// The directories of a change set below which answers may differ.
struct SubtreeChanges: Sendable {
    private(set) var directories: [Row: SubtreeChange] = [:]
    /// Whether an item that changed may have another path though it was not renamed itself.
    private(set) var changedPlaces = false
    /// Whether an item that changed may lie inside a package that it did not, or the other way round.
    private(set) var changedPackages = false
    /// What changed of any of them.
    private(set) var causes: SubtreeChange.Causes = []

    /// Looks for them among the changed rows. `causes` are those that any query depends on.
    /// Complexity: O(changes), and the depth of each directory that is found.
    init(_ former: FormerView, causes wanted: SubtreeChange.Causes) {
        if wanted.isEmpty { return }
        let (changes, current) = (former.changes, former.current)
        var (before, now) = (ItemPlace(), ItemPlace())
        for at in 0..<changes.count where changes.hasFormer(at: at) {
            let row = changes.row(at: at)
            guard current.isLive(row), current.kind(of: row).isDirectory,
                case .changed = changes.transition(at: at, in: current)
            else { continue }
            let causes = SubtreeChanges.causes(of: former, at: at, among: wanted).intersection(wanted)
            if causes.isEmpty { continue }
            var directory = SubtreeChange(causes: causes)
            before.forget()
            now.forget()
            before.know(row, former)
            now.know(row, current)
            directory.formerPath = before.path
            directory.pathCount = now.path.count
            if before.path != now.path {
                directory.causes.formUnion(wanted.intersection(.place))
                directory.difference.path = true
                directory.difference.depth =
                    DerivedText.depth(ofPath: before.path) != DerivedText.depth(ofPath: now.path)
                // Below Documents begins one level further down than Documents itself.
                let slash = [UInt8(ascii: "/")]
                directory.difference.scope =
                    DerivedText.isInDocuments(before.path + slash) != DerivedText.isInDocuments(now.path + slash)
            }
            if causes.contains(.package) {
                directory.difference.inPackage = true
                changedPackages = true
            }
            directories[row] = directory
            if directory.difference.path { changedPlaces = true }
        }
        if directories.count > 1 { inheritCauses(current) }
        causes = directories.values.reduce([]) { $0.union($1.causes) }
    }

    /// What changed of one directory itself, which lived before and lives now.
    private static func causes(
        of former: FormerView, at: Int, among wanted: SubtreeChange.Causes
    ) -> SubtreeChange.Causes {
        var causes: SubtreeChange.Causes = []
        if former.isRenamed(at: at) { causes.insert(.place) }
        let row = former.changes.row(at: at)
        if former.isElsewhere(at: at) || former.access(of: row) != former.current.access(of: row) {
            causes.insert(.access)
        }
        if wanted.contains(.package), holdsPackaged(row, former) != holdsPackaged(row, former.current) {
            causes.insert(.package)
        }
        return causes
    }

    /// Whether what lies in a directory lies inside a package.
    private static func holdsPackaged(_ row: Row, _ reader: some RowReader) -> Bool {
        reader.kind(of: row) == .package || reader.isInsidePackage(row)
    }

    /// Each row is looked at below the lowest of the directories that it lies in, for the causes of all of them.
    private mutating func inheritCauses(_ current: IndexSnapshot) {
        for row in directories.keys {
            var above = row
            while above != .root {
                above = current.parent(of: above)
                if let causes = directories[above]?.causes { directories[row]?.causes.formUnion(causes) }
            }
        }
    }

    var isEmpty: Bool { directories.isEmpty }

    /// None, where they are somebody else's business; paths may have changed all the same.
    var setAside: SubtreeChanges {
        var result = self
        result.directories = [:]
        result.causes = []
        return result
    }

    /// Whether a query may have to tell something of what lies below any of them.
    func concern(_ query: LiveQuery) -> Bool { directories.values.contains { $0.concerns(query) } }

    /// How many rows lie below them, at most `limit`. Complexity: O(limit).
    func rowCount(in current: IndexSnapshot, atMost limit: Int) -> Int {
        var count = 0
        for directory in directories.keys where count < limit {
            count += current.descendantCount(of: directory, atMost: limit - count)
        }
        return count
    }

    /// The lowest of them that a row lies in.
    func lowest(above row: Row, in current: IndexSnapshot) -> SubtreeChange? {
        var row = row
        while true {
            if let directory = directories[row] { return directory }
            if row == .root { return nil }
            row = current.parent(of: row)
        }
    }
}

extension FormerView {
    /// Whether the item of a changed row, which lived before and lives now, has another name or another directory.
    func isRenamed(at: Int) -> Bool {
        if isElsewhere(at: at) { return true }
        let row = changes.row(at: at)
        return changes.withFormerName(at: at) { old in current.withName(of: row) { !RawBytes.isEqual($0, old) } }
    }

    /// Whether the item of a changed row, which lived before and lives now, has another directory.
    func isElsewhere(at: Int) -> Bool {
        let row = changes.row(at: at)
        // The slot of its directory may hold another directory by now.
        guard let parent = changes.former(at: at)?.parent, parent == current.parent(of: row) else { return true }
        return identifier(of: parent) != current.identifier(of: parent)
    }
}
