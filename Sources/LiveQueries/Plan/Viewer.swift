// Who asks, and what of a container the kernel would let them see.
// SPDX-License-Identifier: Apache-2.0

package import Metadata
package import MetadataIndex

/// Who asks a question of one container, where callers are told apart. An item is there for the viewer where the kernel
/// would let them list and stat it: with search permission on every directory above it, up to `/`, and read permission on the
/// one that holds it (path_resolution(7)).
package struct Viewer: Sendable, Hashable {
    package let credentials: Credentials
    /// Whether the viewer may read the names in the container's own directory.
    package let readsRoot: Bool
    /// Whether the viewer may look up names in it.
    package let searchesRoot: Bool

    /// - Parameters:
    ///   - above: the directories above the container's own, nil where they are not known: then nothing is seen.
    ///   - root: the container's own directory.
    package init(_ credentials: Credentials, above: [FileAccess]?, root: FileAccess) {
        self.credentials = credentials
        let arrives = above?.allSatisfy { credentials.may(.search, $0) } ?? false
        readsRoot = arrives && credentials.may(.read, root)
        searchesRoot = arrives && credentials.may(.search, root)
    }

    /// A viewer who sees nothing of the container.
    package init(seeingNothing credentials: Credentials) { self.init(credentials, above: nil, root: .closed) }

    /// Whether anything in the container can be seen.
    package var seesAnything: Bool { searchesRoot }

    /// Whether the viewer may look up names in a directory, and come there. Complexity: O(depth).
    package func searches(_ directory: Row, in reader: some RowReader) -> Bool {
        var row = directory
        while row != .root {
            guard credentials.may(.search, reader.access(of: row)) else { return false }
            row = reader.parent(of: row)
        }
        return searchesRoot
    }

    /// Whether the viewer sees what a directory holds. Complexity: O(depth).
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
    /// Of a file with which nobody but root may do anything.
    fileprivate static let closed = FileAccess(mode: 0, owner: 0, group: 0, accessList: .none)
}

extension PlanEnvironment {
    /// The extra attributes of an item as the viewer has them; what is not known counts as none. Those of a file are closed
    /// to those who may not read it (xattr(7)); where a link leads is not.
    package func extras(of row: Row, in reader: some RowReader) -> ExtraAttributes {
        guard let extras = reader.extras(of: row), !extras.isEmpty else { return .none }
        guard let viewer, !extras.isTarget, !viewer.credentials.may(.read, reader.access(of: row)) else {
            return extras
        }
        return .none
    }
}
