// In which ways the directories of a package may be used, as far as they are kept.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct AccessSetTests {
    private func access(_ owner: UInt32, _ list: AccessListID = .none) -> FileAccess {
        FileAccess(mode: 0o700, owner: owner, group: 0, accessList: list)
    }

    @Test func moreWaysThanAreKeptAreNone() {
        let ways = (0...UInt32(AccessSet.mostAccesses)).map { access($0) }
        #expect(AccessSet(Set(ways.dropLast()))?.count == AccessSet.mostAccesses)
        #expect(AccessSet(Set(ways)) == nil)
        #expect(AccessSet([]) == nil)
    }

    @Test func longerListsThanAreKeptAreNone() {
        let lease = AccessLists.lease()
        defer { withExtendedLifetime(lease) {} }
        func list(_ entries: Int) -> AccessListID {
            let users = (0..<entries).map { AccessList.Entry(.user, .read, number: UInt32($0)) }
            return AccessLists.intern(AccessList(entries: users).bytes, owner: 0)
        }
        // Four bytes, and eight for each entry.
        let most = (AccessSet.mostListBytes - 4) / 8
        #expect(AccessSet([access(1, list(most)), access(2, list(most))])?.count == 2)
        #expect(AccessSet([access(1, list(most + 1))]) == nil)
        #expect(AccessSet([access(1, list(most)), access(1, list(1))]) == nil)
    }

    /// Its viewers are unknown then, and that does not change the size that is told.
    @Test func aPackageOfManyOwnersHasNone() {
        var state = PackageState(RowValues(FileStatus.sample(.directory), common: 0), isToBeCounted: false)
        for owner in 0..<UInt32(AccessSet.mostAccesses) - 1 {
            state.totals.add(RowValues(FileStatus.sample(.directory), common: 0), access(owner))
        }
        #expect(state.facts(access(1_000)).accesses?.count == AccessSet.mostAccesses)
        for owner in 2_000..<2_100 as Range<UInt32> {
            state.totals.add(RowValues(FileStatus.sample(.directory), common: 0), access(owner))
            #expect(state.facts(access(1_000)).accesses == nil)
        }
        for owner in 2_000..<2_100 as Range<UInt32> {
            state.totals.remove(RowValues(FileStatus.sample(.directory), common: 0), access(owner))
        }
        #expect(state.facts(access(1_000)).accesses?.count == AccessSet.mostAccesses)
    }
}
