// A change of an item as gatherd reported it.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import Syncthing

/// The state of an item after a change.
enum FeedChange: Sendable, Hashable {
    case removed
    /// With the time of the last change of its mode or attributes; nil where an entry has changed since, or none is known of.
    case directory(changed: Timestamp?)
    case other
    case file(size: Int64, modified: Timestamp)

    var isDirectory: Bool { if case .directory = self { true } else { false } }

    /// Whether Syncthing's database has this state, so that a scan would find nothing new.
    ///
    /// A directory may be one that Syncthing is making: then only the other devices have it yet. It must not be scanned. Where
    /// extended attributes are synced, Syncthing takes each directory with a new entry for changed, so a scan makes a version
    /// of this device, and if another device renames the directory at that moment, it comes back under its old name.
    func isKnown(to entry: FileEntry?) -> Bool {
        if isDirectory, let entry, !entry.local.isPresentDirectory { return entry.global.isPresentDirectory }
        return isKnown(as: entry?.local)
    }

    /// Whether a version in Syncthing's database is this state.
    func isKnown(as record: FileRecord?) -> Bool {
        guard let record, !record.isInvalid, !record.isIgnored else { return false }
        switch self {
        case .removed: return record.isDeleted
        case .directory(let changed):
            guard record.isPresentDirectory else { return false }
            guard let changed else { return true }
            return Timestamp(rfc3339: record.inodeChange).map { changed <= $0 } ?? false
        case .other: return false
        case .file(let size, let modified):
            return !record.isDeleted && record.size == size && Timestamp(rfc3339: record.modified) == modified
        }
    }
}
