// Why the index refuses a change.
// SPDX-License-Identifier: Apache-2.0

/// Why the index refuses a change. The index is as it was before the refused call.
package enum IndexError: Error, Hashable, Sendable {
    /// No entry lives in this row.
    case noSuchRow(Row)
    /// Children were to be put below a row that is neither a directory nor a package.
    case notADirectory(Row)
    /// Another entry, in this row, bears the name already.
    case nameTaken(Row)
    /// A name is empty, longer than ``FileNameLimits/mostBytes``, `.` or `..`, or contains a slash or a NUL.
    case invalidName
    /// A directory was to be put below itself, or an entry below one of the two that change places.
    case wouldContainItself(Row)
    /// The container's own directory can be updated, not moved, replaced or removed.
    case isRoot
    /// The lengths and statuses of a batch do not fit its names.
    case malformedBatch
    /// Every row number was given away, or the index's content is detached.
    case full
}
