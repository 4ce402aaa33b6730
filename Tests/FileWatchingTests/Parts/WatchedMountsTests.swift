// The mounts that the watcher knows: differences, second looks and questions to silent servers.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import FileWatching

@Suite struct WatchedMountsTests {
    private func mount(_ number: Int, _ path: String, type: String = "ext4") -> Mount {
        Mount(number: number, path: Array(path.utf8), type: type)
    }

    private func renamed(_ name: String, in mounts: inout WatchedMounts) {
        Array(name.utf8).withUnsafeBytes { mounts.directoryRenamed(from: $0) }
    }

    @Test func differencesAreThoseOfTwoReadings() {
        var mounts = WatchedMounts()
        #expect(!mounts.isKnown)
        let (root, disk, share) = (mount(1, "/"), mount(2, "/mnt/disk"), mount(3, "/mnt/share", type: "nfs"))
        #expect(mounts.replace(with: [root, disk]) == [root, disk])
        #expect(mounts.isKnown)
        #expect(mounts.replace(with: [root, share]) == [disk, share])
        #expect(mounts.replace(with: [root, share]) == [])
        #expect(mounts.all == [root, share])
    }

    @Test func renamesAboveAShareMakeTheTableDoubtful() {
        var mounts = WatchedMounts()
        _ = mounts.replace(with: [mount(1, "/srv/disk"), mount(2, "/home/anna/share", type: "fuse.sshfs")])
        renamed("srv", in: &mounts)
        renamed("share", in: &mounts)
        #expect(!mounts.mayHaveMoved, "a local mount, and the share's own name, are told by the kernel")
        renamed("anna", in: &mounts)
        #expect(mounts.mayHaveMoved)
        mounts.willRead()
        #expect(!mounts.mayHaveMoved)
    }

    @Test func aSecondLookIsTakenWhenNothingIsBeingReadOrATimeIsOver() {
        var mounts = WatchedMounts()
        let disk = mount(2, "/mnt/disk")
        #expect(mounts.takeUnsure(isReading: false, now: 0) == nil)
        mounts.lookAgain(at: [disk], isLacking: false, now: 5)
        #expect(mounts.nextDeadline == 5 + WatchLimits.mountLookInterval)
        #expect(mounts.takeUnsure(isReading: true, now: 6) == nil)
        #expect(mounts.takeUnsure(isReading: false, now: 6) == .init(mounts: [disk], isTableUnread: false))
        #expect(mounts.nextDeadline == nil)
        // Where something is wanting, time alone helps.
        mounts.lookAgain(at: [], isLacking: true, now: 10)
        #expect(mounts.takeUnsure(isReading: false, now: 11) == nil && mounts.isLacking)
        let later = 10 + WatchLimits.mountLookInterval
        #expect(mounts.takeUnsure(isReading: true, now: later) == .init(mounts: [], isTableUnread: true))
        #expect(!mounts.isLacking)
    }

    @Test func silentServersAreAskedLessAndLessOften() {
        var mounts = WatchedMounts()
        let share = mount(2, "/mnt/share", type: "nfs")
        _ = mounts.replace(with: [mount(1, "/"), share])
        #expect(mounts.setUnreachable([.init(mount: share, error: .timedOut)], version: 1, now: 0) == [])
        var time = WatchLimits.mountRetry
        var pause = WatchLimits.mountRetry
        for _ in 0..<10 {
            #expect(mounts.nextDeadline == time)
            #expect(!mounts.takeQuestion(now: time - 1) && mounts.takeQuestion(now: time))
            pause = min(pause * 2, WatchLimits.mountRetryLimit)
            time += pause
        }
        mounts.answeredLate(now: time - pause)
        #expect(mounts.nextDeadline == time - pause + WatchLimits.mountRetry)
        #expect(mounts.setUnreachable([], version: 2, now: time) == [share], "it answers again")
        #expect(mounts.nextDeadline == nil)
    }

    @Test func theMountThatHoldsAPathComesAlone() {
        var mounts = WatchedMounts()
        let outer = UnreachableMount(mount: mount(2, "/srv", type: "nfs"), error: .timedOut)
        let below = ["/home/b", "/home/a"].enumerated().map {
            UnreachableMount(mount: mount(3 + $0.offset, $0.element, type: "nfs"), error: .timedOut)
        }
        _ = mounts.setUnreachable([outer] + below, version: 1, now: 0)
        let own = mounts.unreachable(at: Array("/srv/lists".utf8))
        #expect(own.mounts == [outer] && own.holdsPath)
        let inner = mounts.unreachable(at: Array("/home".utf8))
        #expect(inner.mounts == below.reversed() && !inner.holdsPath)
        #expect(mounts.unreachable(at: Array("/var".utf8)).mounts.isEmpty)
    }
}
