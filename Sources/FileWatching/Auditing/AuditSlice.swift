// A slice of the self-audit.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The findings of a slice of the self-audit.
struct AuditSlice {
    /// Where the stream was when all was read.
    var settled: UInt64?
    /// Files with one name that were found and are not known there.
    var unknownFiles: Set<InodeNumber> = []
}
