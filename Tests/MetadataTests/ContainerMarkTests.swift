// The identities of directories by which containers with marks are known.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

struct ContainerMarkTests {
    /// The top directories of two disks that were formatted in one second are equal.
    @Test func aBirthInAWholeSecondTellsNothing() {
        func identity(_ nanoseconds: Int64?) -> FileIdentity {
            FileIdentity(device: 1, inode: 2, created: nanoseconds.map { Timestamp(nanoseconds: $0) })
        }
        for created in [nil, 0, 1_795_977_302_000_000_000] as [Int64?] {
            #expect(ContainerMark.directory(identity(created), isKept: true) == nil)
        }
        let lasting = identity(1_795_977_302_488_215_098)
        #expect(ContainerMark.directory(lasting, isKept: true) == lasting)
        #expect(ContainerMark.directory(lasting, isKept: false) == nil)
    }
}
