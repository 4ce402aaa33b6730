// Mounts whose server does not answer, in containers and beneath them.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import TestSupport
import Testing

@Suite(.serialized, .needsRoot("a file system of FUSE", if: FuseServer.isAvailable))
struct SilentMountTests {
    let directory = TemporaryDirectory()

    private func fixture(
        _ containers: [UInt32] = [1], readsAccessLists: Bool = false, patience: UInt64 = WatchLimits.mountPatience
    ) throws -> WatcherFixture {
        try WatcherFixture(
            containers: containers, readsAccessLists: readsAccessLists, mountTimeLimit: WatchLimits.mountTimeLimit,
            mountPatience: patience)
    }

    /// Whether a notice says that a mount does not answer, or that one answers again.
    private func isReported(_ fixture: WatcherFixture, isUnreachable: Bool) -> Bool {
        fixture.notices.contains { notice in
            switch notice {
            case .unreachableMount: isUnreachable
            case .reachableMount: !isUnreachable
            default: false
            }
        }
    }

    private func reason(_ fixture: WatcherFixture, _ number: UInt32 = 1) -> String? {
        switch fixture.watcher.state(of: number) {
        case .degraded(let reason), .unavailable(let reason): reason
        default: nil
        }
    }

    private func paths(_ fixture: WatcherFixture, _ number: UInt32 = 1) -> [String] {
        fixture.tree.contents(of: number).keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    private func status(_ path: String, _ fixture: WatcherFixture) -> FileStatus? {
        fixture.tree.contents(of: 1)[Array(path.utf8)]
    }

    private func isLive(_ fixture: WatcherFixture, _ number: UInt32 = 1) -> Bool {
        fixture.watcher.state(of: number) == .live
    }

    @Test(arguments: [false, true]) func filesBesideASilentMountAreFound(readsXattrs: Bool) throws {
        for name in ["a", "mount", "z", "z/deep"] { directory.makeDirectory(name) }
        for name in ["a/f", "f", "z/deep/g"] { directory.write(name) }
        let server = try FuseServer(on: directory.url("mount"), isSilent: true)
        defer { server.end() }
        let fixture = try self.fixture(readsAccessLists: readsXattrs)
        fixture.watcher.addContainer(1, path: directory.path, readsXattrs: readsXattrs)
        fixture.settle()
        #expect(paths(fixture) == ["a", "a/f", "f", "mount", "z", "z/deep", "z/deep/g"])
        let why = try #require(reason(fixture))
        #expect(why.contains("\(directory.url("mount")) (fuse.test) does not answer"))
        #expect(status("mount", fixture)?.mode == 0)

        // Events are heard as before.
        directory.write("z/deep/new")
        fixture.settle()
        #expect(paths(fixture).contains("z/deep/new"))

        // The answer comes late and is taken, without a rescan.
        fixture.iterate(until: { isReported(fixture, isUnreachable: true) }, "told")
        try server.answer()
        fixture.iterate(until: { isLive(fixture) }, "live")
        #expect(isReported(fixture, isUnreachable: false))
        fixture.settle()
        #expect(status("mount", fixture)?.mode == 0o750)
        #expect(status("mount", fixture)?.size == 5)
        #expect(!paths(fixture).contains("mount/inside"))
    }

    @Test func mountsThatComeLaterAndGoWhileSilent() throws {
        for name in ["d", "d/mount"] { directory.makeDirectory(name) }
        directory.write("d/mount/below")
        let fixture = try self.fixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        #expect(paths(fixture) == ["d", "d/mount", "d/mount/below"])
        let server = try FuseServer(on: directory.url("d/mount"), isSilent: true)
        defer { server.end() }
        directory.write("d/beside")
        fixture.settle()
        #expect(paths(fixture) == ["d", "d/beside", "d/mount"])
        #expect(reason(fixture)?.contains("does not answer") == true)
        fixture.watcher.rescan(1) { _ in }
        fixture.settle()
        #expect(paths(fixture) == ["d", "d/beside", "d/mount"])
        #expect(umount2(directory.url("d/mount"), CInt(MNT_DETACH)) == 0)
        fixture.settle()
        fixture.iterate(until: { isLive(fixture) }, "live")
        fixture.settle()
        #expect(paths(fixture) == ["d", "d/beside", "d/mount", "d/mount/below"])
    }

    @Test func aContainerOnASilentMountWaitsAlone() throws {
        for name in ["mount", "other"] { directory.makeDirectory(name) }
        directory.write("other/f")
        directory.symlink(directory.url("mount"), "link")
        let server = try FuseServer(on: directory.url("mount"), isSilent: true)
        defer { server.end() }
        let fixture = try self.fixture([1, 2, 3])
        fixture.watcher.addContainer(1, path: directory.url("mount"))
        fixture.watcher.addContainer(2, path: directory.url("other"))
        fixture.settle()
        #expect(isLive(fixture, 2))
        #expect(paths(fixture, 2) == ["f"])
        guard case .unavailable(let why) = fixture.watcher.state(of: 1) else {
            Issue.record("\(String(describing: fixture.watcher.state(of: 1)))")
            return
        }
        #expect(why.contains("(fuse.test) does not answer"))
        try server.answer()
        fixture.iterate(until: { paths(fixture) == ["inside"] }, "found")
        #expect(status("inside", fixture)?.mode == 0o640)
        // A symlink leads there as well.
        try server.fallSilent()
        fixture.watcher.removeContainer(1)
        fixture.watcher.addContainer(3, path: directory.url("link"))
        directory.write("other/g")
        fixture.settle()
        #expect(paths(fixture, 2) == ["f", "g"])
        try server.answer()
        fixture.iterate(until: { paths(fixture, 3) == ["inside"] }, "found by the symlink")
    }

    /// A silent server says nothing of its files, so known items stay.
    @Test func aContainerWhoseMountFallsSilentKeepsItsItems() throws {
        for name in ["mount", "other"] { directory.makeDirectory(name) }
        let server = try FuseServer(on: directory.url("mount"), isSilent: false)
        defer { server.end() }
        let fixture = try self.fixture([1, 2])
        fixture.watcher.addContainer(1, path: directory.url("mount"))
        fixture.watcher.addContainer(2, path: directory.url("other"))
        fixture.settle()
        #expect(paths(fixture) == ["inside"])
        try server.fallSilent()
        fixture.watcher.rescan(1) { _ in }
        directory.write("other/f")
        fixture.iterate(
            until: { paths(fixture, 2) == ["f"] && reason(fixture)?.contains("does not answer") == true }, "noticed")
        #expect(paths(fixture) == ["inside"])
        try server.answer()
        fixture.iterate(until: { reason(fixture)?.contains("does not answer") != true }, "answers")
        #expect(paths(fixture) == ["inside"])
    }

    @Test func aDeadServerIsSaidWithItsError() throws {
        directory.makeDirectory("mount")
        directory.write("f")
        let server = try FuseServer(on: directory.url("mount"), isSilent: true)
        defer { server.end() }
        try server.crash()
        let fixture = try self.fixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        #expect(paths(fixture) == ["f", "mount"])
        #expect(reason(fixture)?.contains(SystemError.notConnected.description) == true)
    }

    /// Its directories are never answered. Only the thread of this mount waits, and closing ends that.
    @Test func readingASilentMountHoldsUpNothingElse() throws {
        for name in ["mount", "other"] { directory.makeDirectory(name) }
        directory.write("other/f")
        let server = try FuseServer(on: directory.url("mount"), isSilent: false)
        defer { server.end() }
        try server.holdDirectories()
        let fixture = try self.fixture([1, 2], patience: 3_600_000_000_000)
        fixture.watcher.addContainer(1, path: directory.url("mount"))
        fixture.iterate(until: { fixture.watcher.figures(of: 1).outstanding > 0 }, "reading")
        try server.awaitRequest()
        fixture.watcher.addContainer(2, path: directory.url("other"))
        fixture.iterate(until: { isLive(fixture, 2) && paths(fixture, 2) == ["f"] }, "found")
        directory.write("other/g")
        fixture.iterate(until: { paths(fixture, 2) == ["f", "g"] }, "heard")
        #expect(paths(fixture).isEmpty)
        fixture.watcher.close()
    }

    /// Each call takes longer than the event loop waits for one.
    @Test func aContainerOnASlowMountIsRead() throws {
        directory.makeDirectory("mount")
        let server = try FuseServer(on: directory.url("mount"), isSilent: false)
        defer { server.end() }
        try server.answerLate()
        let fixture = try self.fixture()
        fixture.watcher.addContainer(1, path: directory.url("mount"))
        fixture.iterate(until: { paths(fixture) == ["inside"] }, "found")
        #expect(status("inside", fixture)?.mode == 0o640)
    }

    @Test func oneProcessAsksSeveralMounts() throws {
        for name in ["a", "b"] { directory.makeDirectory(name) }
        let servers = try ["a", "b"].map { try FuseServer(on: directory.url($0), isSilent: false) }
        defer { for server in servers { server.end() } }
        let fixture = try WatcherFixture(mountAgents: 1)
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        #expect(["a", "b"].map { status($0, fixture)?.mode } == [0o750, 0o750])
        #expect(isLive(fixture))
    }

    /// The kernel reports no change of the table of mounts then.
    @Test func aRenameAboveASilentMountIsFollowed() throws {
        for name in ["d", "d/mount"] { directory.makeDirectory(name) }
        let server = try FuseServer(on: directory.url("d/mount"), isSilent: true)
        defer {
            umount2(directory.url("e/mount"), CInt(MNT_DETACH))
            server.end()
        }
        let fixture = try self.fixture(readsAccessLists: true)
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        #expect(reason(fixture)?.contains(directory.url("d/mount")) == true)
        try #require(rename(directory.url("d"), directory.url("e")) == 0)
        fixture.settle()
        #expect(paths(fixture) == ["e", "e/mount"])
        fixture.iterate(until: { reason(fixture)?.contains(directory.url("e/mount")) == true }, "followed")
        #expect(fixture.kernel.unreachableMounts().map(\.mount.text) == [directory.url("e/mount")])
    }

    /// The status of an unknown mount point has the table read.
    @Test func theStatusOfAMovedMountPointIsAskedOfItsAgent() throws {
        for name in ["d", "d/mount"] { directory.makeDirectory(name) }
        let server = try FuseServer(on: directory.url("d/mount"), isSilent: true)
        defer {
            umount2(directory.url("e/mount"), CInt(MNT_DETACH))
            server.end()
        }
        let kernel = try LinuxKernel(mountTimeLimit: 1_000_000)
        try #require(rename(directory.url("d"), directory.url("e")) == 0)
        let above = try kernel.openDirectory(at: directory.url("e"), access: .path)
        defer { kernel.close(above) }
        #expect(try kernel.status(of: "mount", in: above).isMountRoot)
        #expect(kernel.unreachableMounts().map(\.mount.text) == [directory.url("e/mount")])
    }

    /// The type in the table of mounts is not that of the file system which covers the mount.
    @Test func aLocalFileSystemOnASilentMountIsNotPolled() throws {
        directory.makeDirectory("mount")
        let server = try FuseServer(on: directory.url("mount"), isSilent: true)
        defer { server.end() }
        try #require(mount("test", directory.url("mount"), "tmpfs", 0, nil) == 0)
        directory.write("mount/f")
        let fixture = try self.fixture()
        fixture.watcher.addContainer(1, path: directory.url("mount"))
        fixture.settle()
        #expect(paths(fixture) == ["f"])
        #expect(isLive(fixture))
    }

    /// The server falls silent after it has listed the names of a directory.
    @Test func aReadThatEndsHalfwayRemovesNothing() throws {
        directory.makeDirectory("mount")
        let server = try FuseServer(on: directory.url("mount"), isSilent: false)
        defer { server.end() }
        let fixture = try self.fixture(patience: WatchLimits.mountTimeLimit)
        fixture.watcher.addContainer(1, path: directory.url("mount"))
        fixture.iterate(until: { paths(fixture) == ["inside"] }, "found")
        try server.holdLookUps()
        fixture.watcher.rescan(1) { _ in }
        fixture.iterate(until: { reason(fixture)?.contains("does not answer") == true }, "noticed")
        fixture.settle()
        #expect(paths(fixture) == ["inside"])
        try server.answer()
        fixture.iterate(until: { reason(fixture)?.contains("does not answer") != true }, "answers")
        fixture.settle()
        #expect(paths(fixture) == ["inside"])
    }
}
