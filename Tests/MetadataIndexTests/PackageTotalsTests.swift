// The totals of a package without a look at all within.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct PackageTotalsTests {
    private func file(modified: Int64, changed: Int64) -> RowValues {
        var status = FileStatus.sample(.file, size: 1)
        status.modified = Timestamp(nanoseconds: modified)
        status.changed = Timestamp(nanoseconds: changed)
        return RowValues(status, common: 0)
    }

    private let access = FileStatus.sample(.file).access

    /// With a file from the future in a package, each write to another made the newest change unknown, and the whole package
    /// was looked through.
    @Test func aFileFromTheFutureOutdatesNothing() {
        var totals = PackageTotals()
        totals.add(file(modified: 1_000, changed: 1), access)
        var log = file(modified: 2, changed: 2)
        totals.add(log, access)
        for now in 3...9 as ClosedRange<Int64> {
            let next = file(modified: now, changed: now)
            totals.replace(log, access, by: next, access)
            log = next
            #expect(!totals.isOutdated && totals.modified == 1_000 && totals.changed == now)
        }
        // A change of the inode alone, of a file whose content is not the newest.
        totals.replace(log, access, by: file(modified: 9, changed: 10), access)
        #expect(!totals.isOutdated && totals.changed == 10)
        totals.remove(file(modified: 1_000, changed: 1), access)
        #expect(totals.isModifiedOutdated && !totals.isChangedOutdated)
        totals.remove(file(modified: 9, changed: 10), access)
        #expect(totals == PackageTotals())
    }
}
