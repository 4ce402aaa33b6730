// Why directories of a container are polled, in the words of its state.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct ContainerPollingTests {
    private func counts(_ directories: Int, unwatched: Int = 0) -> DirectoryCounts {
        var counts = DirectoryCounts()
        (counts.directories, counts.unwatched) = (directories, unwatched)
        return counts
    }

    @Test func theKernelsReasonIsSaidRatherThanTheShare() {
        var polling = ContainerPolling()
        polling.note(.watchShare)
        #expect(polling.reason == .watchShare)
        polling.note(.watchLimit)
        polling.note(.watchShare)
        #expect(polling.reason == .watchLimit)
        polling.forgetReason()
        polling.note(.watchShare)
        #expect(polling.reason == .watchShare)
    }

    @Test func theStateCountsTheDirectories() throws {
        var polling = ContainerPolling()
        #expect(polling.degradation(counts(9)) == nil)
        polling.note(.watchLimit)
        let some = try #require(polling.degradation(counts(9, unwatched: 2)))
        #expect(some.hasPrefix("2 of 9 directories are polled: "))
        let one = try #require(polling.degradation(counts(1, unwatched: 1)))
        #expect(one.hasPrefix("its directory is polled: "))
        polling.setFileSystem("nfs4")
        let all = try #require(polling.degradation(counts(9)))
        #expect(all.hasPrefix("all 9 directories are polled: nfs4 "))
        #expect(polling.degradation(counts(1))?.hasPrefix("its directory is polled: nfs4 ") == true)
        polling.schedule(5)
        #expect(polling.next == 5)
        polling.schedule(nil)
        #expect(polling.next == nil)
    }
}
