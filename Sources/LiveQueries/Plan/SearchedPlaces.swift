// The places inside packages and archives that a query searches.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage

/// The places inside packages and archives that a query searches, because its scope or predicate names them: below a
/// directory at or in one, one item, or the items directly in one directory.
struct SearchedPlaces: Sendable, Hashable {
    /// Paths from the container's root, without a slash at either end.
    private(set) var directories: Set<[UInt8]> = []
    private(set) var items: Set<ItemIdentifier> = []
    private(set) var parents: Set<ItemIdentifier> = []
    /// The names of archives that a path in the predicate has.
    private(set) var archives: Set<String> = []

    /// No place.
    init() {}

    /// The places that scopes and the predicate name. `root` is the absolute path of the container's directory, without
    /// a slash at its end.
    init(_ scopes: [QueryScope], _ node: PlanNode, root: [UInt8]) {
        for scope in scopes { if case .directory(let path) = scope, !path.isEmpty { directories.insert(path) } }
        add(node, root)
    }

    /// A place under a NOT is not searched. In an AND one part that names a place suffices, since a match meets all
    /// parts.
    private mutating func add(_ node: PlanNode, _ root: [UInt8]) {
        switch node.kind {
        case .constant, .not: break
        case .all(let parts), .any(let parts): for part in parts { add(part, root) }
        case .test(.item(let identifier)): items.insert(identifier)
        case .test(.directory(let identifier)): parents.insert(identifier)
        case .test(.path(let pattern)):
            if pattern.operation != .notEqual { archives.formUnion(pattern.archives(below: root)) }
            for case .path(let path) in ItemDemand.path(pattern, below: root) ?? [] {
                // A path with this beginning lies in the last directory that is named in full.
                if let slash = path.lastIndex(of: UInt8(ascii: "/")) { directories.insert(Array(path[..<slash])) }
            }
        case .test: break
        }
    }

    /// Whether no place of this kind is searched.
    func isEmpty(in enclosure: Enclosure) -> Bool {
        directories.isEmpty && items.isEmpty && parents.isEmpty && (enclosure == .package || archives.isEmpty)
    }

    /// Whether a directory is an archive whose name the predicate has. All below it is searched, also in archives there.
    func names(_ directory: Row, in reader: some RowReader) -> Bool {
        !archives.isEmpty
            && reader.withName(of: directory) { name in archives.contains { $0.utf8.elementsEqual(name) } }
    }

    private func namesArchive(around row: Row, in reader: some RowReader) -> Bool {
        if archives.isEmpty { return false }
        var row = row
        while let archive = reader.archive(around: row) {
            if names(archive, in: reader) { return true }
            row = archive
        }
        return false
    }

    /// Whether an item lies inside such a directory, at a place that is not searched. Complexity: O(depth).
    func hide(_ row: Row, in enclosure: Enclosure, _ reader: some RowReader, _ place: inout ItemPlace) -> Bool {
        guard let outer = enclosure.directory(around: row, in: reader) else { return false }
        if isEmpty(in: enclosure) { return true }
        if enclosure == .archive, namesArchive(around: row, in: reader) { return false }
        if contains(row, in: items, reader) || open(reader.parent(of: row), in: reader) { return false }
        if directories.isEmpty { return true }
        // A directory from the outer one down to the item's own opens it.
        place.know(row, reader)
        let path = place.path
        var depth = 0
        let least = reader.depth(of: outer)
        for slash in path.indices where path[slash] == UInt8(ascii: "/") {
            depth += 1
            if depth >= least, directories.contains(Array(path[..<slash])) { return false }
        }
        return true
    }

    /// Whether the row's present item is named, and not an earlier item of that row.
    private func contains(_ row: Row, in named: Set<ItemIdentifier>, _ reader: some RowReader) -> Bool {
        !named.isEmpty && reader.identifier(of: row).map { named.contains($0) } ?? false
    }

    /// Whether the items directly in a directory are searched.
    func open(_ directory: Row, in reader: some RowReader) -> Bool { contains(directory, in: parents, reader) }
}
