// The remedy that lets the helper write in a container.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

@testable import SyncService

struct WriteRemedyTests {
    @Test func remediesFollowFromTheReason() {
        func remedy(_ error: Int32, _ isSystem: Bool) -> String {
            SharingMethods.writeRemedy(SystemError(code: error), "/srv/box", isSystem: isSystem)
        }
        #expect(
            remedy(EROFS, true).hasPrefix("add the line ReadWritePaths=/srv/box to a drop-in of gather-syncd.service"))
        #expect(
            remedy(EACCES, true).hasPrefix("make it writable for a group of the user gather-syncd, and add the line"))
        #expect(remedy(EACCES, false) == "chown or chmod it for the user of gather-syncd")
        #expect(remedy(EROFS, false) == "mount it for reading and writing")
    }
}
