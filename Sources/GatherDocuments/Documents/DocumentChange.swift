// Changes of a document that its application did not make.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit

/// A change of a document that its application did not make. Ignore unknown changes in `@unknown default`.
@nonexhaustive
public enum DocumentChange: Sendable, Hashable {
    /// Another program changed the file, and the document has its contents now.
    case reloaded
    /// The file was renamed or moved to this path.
    case moved(path: FilePath)
    /// The file was removed.
    case deleted
    /// The file is there again after a removal.
    case restored
    /// A save kept a version of another program as conflict versions with these paths.
    case keptConflicts(paths: [FilePath])
    /// Changes from outside are followed, or no longer.
    case following(DocumentFollowing)
}

/// Whether an open document hears of changes from outside.
@nonexhaustive
public enum DocumentFollowing: Sendable, Hashable {
    /// A live query follows the file.
    case live
    /// Changes from outside are noticed at the next save only, for this reason. The document tries again.
    case paused(reason: String)
    /// The document is closed, or was told not to follow its file.
    case off
}
