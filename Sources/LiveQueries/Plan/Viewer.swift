// The caller of a query, and its access to a container.
// SPDX-License-Identifier: Apache-2.0

package import Metadata
package import MetadataIndex

/// The caller of a query, where callers are distinguished. A viewer sees an item if the kernel would let it list and
/// stat the item: with search permission on every ancestor directory up to `/`, and read permission on the parent
/// (path_resolution(7)).
package struct Viewer: Sendable, Hashable {
    package let credentials: Credentials
    /// Whether the viewer may read the names in the container's own directory.
    package let readsRoot: Bool
    /// Whether the viewer may look up names in the container's own directory.
    package let searchesRoot: Bool

    /// - Parameters:
    ///   - above: the directories above the container's own; nil where they are unknown, so that no item is seen.
    ///   - root: the container's own directory.
    package init(_ credentials: Credentials, above: [FileAccess]?, root: FileAccess) {
        self.credentials = credentials
        let arrives = above?.allSatisfy { credentials.may(.search, $0) } ?? false
        readsRoot = arrives && credentials.may(.read, root)
        searchesRoot = arrives && credentials.may(.search, root)
    }

    /// Makes a viewer that sees no item of the container.
    package init(seeingNothing credentials: Credentials) { self.init(credentials, above: nil, root: .closed) }

    /// Whether the viewer may see any item in the container.
    package var seesAnything: Bool { searchesRoot }

    /// Whether the viewer may reach a directory and look up names in it. Complexity: O(depth).
    package func searches(_ directory: Row, in reader: some RowReader) -> Bool {
        var row = directory
        while row != .root {
            guard credentials.may(.search, reader.access(of: row)) else { return false }
            row = reader.parent(of: row)
        }
        return searchesRoot
    }

    /// Whether the viewer may list a directory. Complexity: O(depth).
    package func lists(_ directory: Row, in reader: some RowReader) -> Bool {
        if directory == .root { return readsRoot && searchesRoot }
        return credentials.may(.read, reader.access(of: directory)) && searches(directory, in: reader)
    }

    /// Whether the viewer sees an item. Complexity: O(depth).
    package func sees(_ row: Row, in reader: some RowReader) -> Bool {
        row != .root && lists(reader.parent(of: row), in: reader)
    }
}

extension FileAccess {
    /// The access of a file that only root may use.
    fileprivate static let closed = FileAccess(mode: 0, owner: 0, group: 0, accessList: .none)
}

extension PlanEnvironment {
    /// The extended attributes and link target of an item as the viewer may know them; unknown ones count as missing.
    /// Extended attributes need read permission on the file (xattr(7)); a link's target does not.
    package func xattrs(of row: Row, in reader: some RowReader) -> ExtraAttributes {
        guard let xattrs = reader.xattrs(of: row), !xattrs.isEmpty else { return .none }
        guard let viewer, !xattrs.isTarget, !viewer.credentials.may(.read, reader.access(of: row)) else {
            return xattrs
        }
        return .none
    }
}
