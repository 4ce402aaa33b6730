// The container and the moment that a plan is made for.
// SPDX-License-Identifier: Apache-2.0

package import ContentTypes
package import Metadata
package import MetadataIndex
import PredicateLanguage

/// The names of users and groups. A number without a name is its own name, in decimal.
///
/// A name must not change while a plan that used it exists: a live query finds changes by testing the same plan on the
/// old and the new state of an item. When accounts change, make new plans.
package protocol AccountNaming: AnyObject, Sendable {
    /// The name of a user, as bytes of UTF-8.
    func user(_ number: UInt32) -> [UInt8]
    /// The name of a group, as bytes of UTF-8.
    func group(_ number: UInt32) -> [UInt8]
    /// Whether the name of a user is cached. A look-up of others may block, so the event loop must not do it.
    func knows(user number: UInt32) -> Bool
    /// Whether the name of a group is cached; see ``knows(user:)``.
    func knows(group number: UInt32) -> Bool
    /// Whether all names cached here are equal there. This may look names up, so the event loop must not call it.
    func agrees(with other: any AccountNaming) -> Bool
}

/// The container and the moment that a plan is made for.
package struct PlanEnvironment: Sendable {
    /// The identifier of the container.
    package var container: String
    /// The absolute path of the container's own directory, without a slash at its end (empty for `/`).
    package var rootPath: [UInt8]
    /// The epoch of the container's index, with which its items' identifiers begin.
    package var epoch: UInt64
    /// The names of users and groups.
    package var accounts: any AccountNaming
    /// The moment that `now()` and `$time…` refer to.
    package var now: Timestamp
    /// The caller; nil for one that sees every item.
    package var viewer: Viewer?
    /// The database of content types.
    package var types: ContentTypeDatabase
    /// Whether directories of the container may be packages. Items inside a package are hidden then, unless a predicate
    /// names `inPackage`.
    package var hasPackages: Bool

    package init(
        container: String, rootPath: [UInt8], epoch: UInt64, accounts: any AccountNaming, now: Timestamp,
        viewer: Viewer? = nil, types: ContentTypeDatabase = ContentTypeDatabase(), hasPackages: Bool = false
    ) {
        self.container = container
        self.rootPath = rootPath
        self.epoch = epoch
        self.accounts = accounts
        self.now = now
        self.viewer = viewer
        self.types = types
        self.hasPackages = hasPackages
    }
}

extension PlanEnvironment {
    /// The status of an item as far as the viewer may know it.
    @inline(__always)
    package func status(of row: Row, in reader: some RowReader) -> FileStatus {
        guard let viewer else { return reader.status(of: row) }
        return reader.status(of: row, for: viewer.credentials)
    }

    /// The number of an item's conflict versions as far as the viewer may know it.
    @inline(__always)
    package func conflictVersions(of row: Row, in reader: some RowReader) -> Int64 {
        reader.conflictVersions(of: row, for: viewer?.credentials)
    }

    /// The date of `$time.now(seconds)`, in nanoseconds since 1970.
    func threshold(_ seconds: Int64) -> Int64 { TimeExpression(.now, seconds).start(from: now).nanoseconds }
}
