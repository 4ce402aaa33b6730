// Directories whose files are replaced.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import TestSupport
import Testing

@testable import LinuxSystem

struct DirectoryWatchTests {
    @Test func replacedAndWrittenAndRemovedFilesAreTold() throws {
        let scratch = try Scratch()
        let woken = DispatchSemaphore(value: 0)
        let watch = try DirectoryWatch { woken.signal() }
        try watch.add(scratch.path)
        try watch.add(scratch.path)
        #expect(throws: SystemError.self) { try watch.add(scratch.path + "/none") }
        let changes: [() throws -> Void] = [
            { try scratch.write("a", "1") },
            { try scratch.write("a", "2") },
            { try Entry.rename(scratch.path + "/a", to: scratch.path + "/b") },
            { try Entry.makeSymlink(scratch.path + "/link", to: "b") },
            { try Entry.remove(scratch.path + "/link") },
        ]
        for change in changes {
            try change()
            #expect(woken.wait(timeout: .now() + .seconds(Patience.seconds)) == .success)
            watch.arm()
        }
        watch.stop()
    }
}
