// The mounts of a container that do not answer.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import FileWatching

@Suite struct ContainerMountsTests {
    private func silent(_ path: String) -> UnreachableMount {
        UnreachableMount(mount: Mount(number: 1, path: Array(path.utf8), type: "nfs"), error: .timedOut)
    }

    @Test func eachMountIsPublishedOnceWhileItIsSilent() {
        var mounts = ContainerMounts()
        #expect(mounts.reason == nil)
        let before = mounts.set([silent("/a"), silent("/b")], holdsContainer: false)
        #expect(before.isEmpty, "nothing was told")
        #expect(mounts.reason?.contains("/a (nfs) does not answer, and 1 more mounts,") == true)
        let reported = [mounts.takeUnpublished(), mounts.takeUnpublished()]
        #expect(reported == [[silent("/a"), silent("/b")], []])
        let answering = mounts.set([silent("/b")], holdsContainer: true)
        #expect(answering == [silent("/a").mount] && mounts.published == [silent("/b").mount] && mounts.holdsContainer)
        let again = mounts.set([silent("/a"), silent("/b")], holdsContainer: false)
        let unreported = mounts.takeUnpublished()
        #expect(again.isEmpty && unreported == [silent("/a")])
    }
}
