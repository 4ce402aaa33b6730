// What a plan is made for: one container, at one moment.
// SPDX-License-Identifier: Apache-2.0

package import ContentTypes
package import Metadata
package import MetadataIndex
import PredicateLanguage

/// The names of users and groups. A number without a name is its own name, in decimal.
///
/// An answer has to stay the same as long as a plan that asked for it lives: what a live query reports follows from
/// testing the same plan on the former and the present state of an item. When accounts change, make new plans.
package protocol AccountNaming: AnyObject, Sendable {
    /// The name of a user, as bytes of UTF-8.
    func user(_ number: UInt32) -> [UInt8]
    /// The name of a group, as bytes of UTF-8.
    func group(_ number: UInt32) -> [UInt8]
    /// Whether the name of a user is known: if not, asking for it may take long, and is nothing for an event loop.
    func knows(user number: UInt32) -> Bool
    /// The same of a group.
    func knows(group number: UInt32) -> Bool
    /// Whether all names that are known here are the same there, where they are asked for: nothing for an event loop.
    func agrees(with other: any AccountNaming) -> Bool
}

/// What a plan is made for: one container, at one moment.
package struct PlanEnvironment: Sendable {
    /// The identifier of the container.
    package var container: String
    /// The absolute path of the container's own directory, without a slash at its end (empty for `/`).
    package var rootPath: [UInt8]
    /// The epoch of the container's index, which the texts of its items' identifiers begin with.
    package var epoch: UInt64
    /// The names of users and groups.
    package var accounts: any AccountNaming
    /// What `now()` and `$time…` are seen from.
    package var now: Timestamp
    /// Who asks; nil for one who sees everything.
    package var viewer: Viewer?
    /// What content types there are, and which name has which.
    package var types: ContentTypeDatabase
    /// Whether directories of the container may be packages: what lies inside one is hidden then, unless a predicate names
    /// `inPackage`.
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
    /// The status of an item as the viewer may know it.
    @inline(__always)
    package func status(of row: Row, in reader: some RowReader) -> FileStatus {
        guard let viewer else { return reader.status(of: row) }
        return reader.status(of: row, for: viewer.credentials)
    }

    /// The date that `$time.now(seconds)` is, in nanoseconds since 1970.
    func threshold(_ seconds: Int64) -> Int64 { TimeExpression(.now, seconds).start(from: now).nanoseconds }
}
