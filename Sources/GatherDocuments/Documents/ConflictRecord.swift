// The conflicts of a document, as far as it knows.
// SPDX-License-Identifier: Apache-2.0

/// The conflicts of a document, as far as it knows.
struct ConflictRecord: Sendable, Hashable {
    /// The number of conflict versions beside the file.
    var versions = 0
    /// Whether the file on disk was changed by another program while there are unsaved changes.
    var isPending = false

    var isInConflict: Bool { versions > 0 || isPending }
}
