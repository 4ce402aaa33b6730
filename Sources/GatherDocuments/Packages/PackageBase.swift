// A package as it was loaded or saved.
// SPDX-License-Identifier: Apache-2.0

internal import SaveFiles

/// The entries of a package as they were loaded or saved. A save compares the application's package and the one on disk with it.
struct PackageBase: Sendable {
    /// An entry as it was loaded or saved.
    struct Entry: Sendable {
        /// The contents of a file; nil for a folder and for a link.
        var node: PackageNode?
        var kind: PackageTree.Kind
    }

    private(set) var entries: [[UInt8]: Entry] = [:]
    /// The paths of files by their contents. The entries keep the contents alive.
    private(set) var paths: [ObjectIdentifier: [UInt8]] = [:]
    /// The root folder.
    var root: FileStamp

    init(root: FileStamp) { self.root = root }

    mutating func set(_ path: [UInt8], _ entry: Entry) {
        entries[path] = entry
        if let node = entry.node { paths[ObjectIdentifier(node)] = path }
    }

    /// Whether the file at a path can have changed though it has the same stamp.
    func hasDigest(at path: [UInt8], _ stamp: FileStamp) -> Bool {
        guard case .file(let own, .some) = entries[path]?.kind else { return false }
        return own.hasSameContents(as: stamp)
    }

    /// Drops the digests that are not needed any more, after a comparison with a package that is the same.
    mutating func settle(as tree: PackageTree) {
        for (path, entry) in tree.entries where entry.isSettled {
            if case .file(_, .some) = entries[path]?.kind { entries[path]?.kind = entry.settled }
        }
    }

    /// Whether a package on disk has exactly these entries.
    func isSame(as tree: PackageTree) -> Bool {
        var count = 0
        for (path, entry) in tree.entries where entry.role == .content {
            guard let own = entries[path], own.kind.isSame(as: entry.kind) else { return false }
            count += 1
        }
        return count == entries.count
    }
}
