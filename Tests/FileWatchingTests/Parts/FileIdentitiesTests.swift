// Which states are of the same file.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import FileWatching

@Suite struct FileIdentitiesTests {
    private func status(_ inode: UInt64, _ kind: FileKind = .file, born: Int64?) -> FileStatus {
        var status = PlayedKernel.status(inode, kind, 1)
        status.created = born.map { Timestamp(nanoseconds: $0) }
        return status
    }

    @Test func anInodeThatIsHandedOutAgainIsAnotherFile() {
        let identities = FileIdentities()
        #expect(identities.isSame(status(2, born: 1), status(2, born: 1)))
        #expect(!identities.isSame(status(2, born: 1), status(2, born: 7)))
        #expect(!identities.isSame(status(2, born: 1), status(3, born: 1)))
        #expect(!identities.isSame(status(2, born: 1), status(2, .directory, born: 1)))
        #expect(identities.isSame(status(2, born: 1), status(2, born: nil)), "as far as is known")
    }

    @Test func birthTimesThatSayNothingDoNotCount() {
        var identities = FileIdentities()
        identities.note(device: 1, keepsBirthTimes: false)
        #expect(identities.isSame(status(2, born: 1), status(2, born: 7)))
        #expect(identities.identity(of: status(2, born: 1)).created == nil)
        identities.note(device: 1, keepsBirthTimes: true)
        #expect(!identities.isSame(status(2, born: 1), status(2, born: 7)), "another file system has the number now")
        #expect(identities.identity(of: status(2, born: 1)) == status(2, born: 1).identity)
    }
}
