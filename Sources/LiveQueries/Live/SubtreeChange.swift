// A change of a directory that may change answers for items below it.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// A change of a directory that may change the answers for unchanged items below it.
///
/// It makes a change pass descend below the directory. A query names the causes that it depends on
/// (``QueryPlan/causes``). Where one of them applies, each item below is tested in its former and its present
/// surroundings: on ``PreImageView`` and on the snapshot. A plan that reads another property of the directories above,
/// such as their modes, needs its own cause, which ``SubtreeChanges/causes(of:at:among:)`` must find.
struct SubtreeChange: Sendable {
    /// The properties of the directories above an item that an answer can depend on.
    struct Causes: OptionSet, Sendable, Hashable {
        let rawValue: UInt8
        /// Their place: path, depth and scope.
        static let place = Causes(rawValue: 1)
        /// Their access: mode, owner, group and access list, of the directory and those above it.
        static let access = Causes(rawValue: 2)
        /// Whether one of them is a package.
        static let package = Causes(rawValue: 4)
        /// Whether one of them is an archive (``ArchiveName``).
        static let archive = Causes(rawValue: 8)
    }

    var causes: Causes
    /// Items below keep their place relative to the directory, so the change of place is the same for all of them.
    var difference = ItemDifference()
    /// The former path, and the length of the present path.
    var formerPath: [UInt8] = []
    var pathCount = 0

    /// Whether a query may have to publish changes of items below.
    func concerns(_ query: LiveQuery) -> Bool {
        !causes.isDisjoint(with: query.plan.causes) || difference.concerns(query)
    }
}

/// The differences between two states of an item.
struct ItemDifference: Sendable {
    /// The name, the directory, or a property that the file system keeps.
    var own = false
    /// Its extended attributes or link target.
    var xattrs = false
    var path = false
    var depth = false
    var scope = false
    /// Whether it lies inside a package.
    var inPackage = false
    /// The path of the file that it is a conflict version of.
    var conflictOf = false
    /// The number of its conflict versions.
    var conflicts = false

    /// The state of a shared item.
    var sync: AttributeSet = []

    /// Whether a subscriber is told, if its query matched before and matches now.
    func concerns(_ query: LiveQuery) -> Bool {
        own || (xattrs && query.readsXattrs) || (path && query.attributes.contains(.path))
            || (conflictOf && query.attributes.contains(.conflictOf))
            || (conflicts && query.readsConflicts)
            || (!sync.isEmpty && sync.meets(query.attributes))
            || (inPackage && query.attributes.contains(.inPackage))
            || (depth && query.attributes.contains(.depth)) || (scope && query.attributes.contains(.scope))
    }
}

/// The directories of a change set below which answers may differ.
struct SubtreeChanges: Sendable {
    private(set) var directories: [Row: SubtreeChange] = [:]
    /// Whether a changed item may have another path without being renamed itself.
    private(set) var changedPlaces = false
    /// Whether a changed item may have moved into or out of a package.
    private(set) var changedPackages = false
    /// The causes of any of them.
    private(set) var causes: SubtreeChange.Causes = []

    /// Finds them among the changed rows. `causes` are those that any query depends on.
    ///
    /// Complexity: O(changes), and the depth of each directory that is found.
    init(_ former: PreImageView, causes wanted: SubtreeChange.Causes) {
        if wanted.isEmpty { return }
        let (changes, current) = (former.changes, former.current)
        var found: [(row: Row, causes: SubtreeChange.Causes)] = []
        for at in 0..<changes.count where changes.hasPreImage(at: at) {
            let row = changes.row(at: at)
            guard current.isLive(row), current.kind(of: row).isDirectory,
                case .changed = changes.transition(at: at, in: current)
            else { continue }
            let causes = SubtreeChanges.causes(of: former, at: at, among: wanted)
            // A renamed directory that no query follows may lie below one that is followed. Items below had another path.
            if causes.isDisjoint(with: wanted.union(.place)) { continue }
            found.append((row, causes.intersection(wanted)))
        }
        if found.allSatisfy(\.causes.isEmpty) { return }
        var (before, now) = (ItemPlace(), ItemPlace())
        for (row, causes) in found {
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
                // Conflict versions among the items below have such a path.
                directory.difference.conflictOf = true
                directory.difference.depth =
                    DerivedText.depth(ofPath: before.path) != DerivedText.depth(ofPath: now.path)
                // The documents scope begins one level below the directory `Documents`.
                let slash = [UInt8(ascii: "/")]
                directory.difference.scope =
                    DerivedText.isInDocuments(before.path + slash) != DerivedText.isInDocuments(now.path + slash)
            }
            if causes.contains(.package) {
                directory.difference.inPackage = true
                changedPackages = true
            }
            directories[row] = directory
        }
        if directories.count > 1 { inheritCauses(current) }
        for (row, directory) in directories {
            if directory.causes.isEmpty { directories[row] = nil }
            // By its own causes or by those above: nothing below an archive has conflict versions.
            if directory.causes.contains(.archive) { directories[row]?.difference.conflicts = true }
        }
        changedPlaces = directories.values.contains { $0.difference.path }
        causes = directories.values.reduce([]) { $0.union($1.causes) }
    }

    /// The changes of one directory itself, which existed before and exists now.
    private static func causes(
        of former: PreImageView, at: Int, among wanted: SubtreeChange.Causes
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
        if wanted.contains(.archive), causes.contains(.place),
            holdsArchived(row, former) != holdsArchived(row, former.current)
        {
            causes.insert(.archive)
        }
        return causes
    }

    /// Whether the items in a directory lie below an archive.
    private static func holdsArchived(_ row: Row, _ reader: some RowReader) -> Bool {
        reader.isArchive(row) || reader.archive(around: row) != nil
    }

    /// Whether the items in a directory lie inside a package.
    private static func holdsPackaged(_ row: Row, _ reader: some RowReader) -> Bool {
        reader.kind(of: row) == .package || reader.isInsidePackage(row)
    }

    /// Each row is tested below the lowest of these directories that contains it, for the causes of all of them.
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

    /// No causes, where another pass handles them; paths may have changed all the same.
    var setAside: SubtreeChanges {
        var result = self
        result.directories = [:]
        result.causes = []
        return result
    }

    /// Whether a query may have to publish changes of items below any of them.
    func concern(_ query: LiveQuery) -> Bool { directories.values.contains { $0.concerns(query) } }

    /// The number of rows below them, at most `limit`. Complexity: O(limit).
    func rowCount(in current: IndexSnapshot, atMost limit: Int) -> Int {
        var count = 0
        for directory in directories.keys where count < limit {
            count += current.descendantCount(of: directory, atMost: limit - count)
        }
        return count
    }

    /// The lowest of them that contains a row.
    func lowest(above row: Row, in current: IndexSnapshot) -> SubtreeChange? {
        var row = row
        while true {
            if let directory = directories[row] { return directory }
            if row == .root { return nil }
            row = current.parent(of: row)
        }
    }
}

extension PreImageView {
    /// Whether the item of a changed row, which existed before and exists now, has another name or directory.
    func isRenamed(at: Int) -> Bool {
        if isElsewhere(at: at) { return true }
        let row = changes.row(at: at)
        return changes.withPreImageName(at: at) { old in current.withName(of: row) { !RawBytes.isEqual($0, old) } }
    }

    /// Whether the item of a changed row, which existed before and exists now, has another directory.
    func isElsewhere(at: Int) -> Bool {
        let row = changes.row(at: at)
        // The slot of its former directory may hold another directory now.
        guard let parent = changes.preImage(at: at)?.parent, parent == current.parent(of: row) else { return true }
        return identifier(of: parent) != current.identifier(of: parent)
    }
}
