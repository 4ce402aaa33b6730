// File systems that are mounted and unmounted, for real where this is allowed.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import TestSupport
import Testing

/// Mounts memory over directories, and takes it away at the end.
final class Mounts {
    private var paths: [String] = []

    /// Whether this process may mount, tried once.
    static let areAllowed: Bool = {
        let directory = TemporaryDirectory()
        guard mount("none", directory.path, "tmpfs", 0, nil) == 0 else { return false }
        umount2(directory.path, 0)
        return true
    }()

    func make(_ path: String) {
        #expect(mount("none", path, "tmpfs", 0, nil) == 0, "\(path): \(errno)")
        paths.append(path)
    }

    /// Something was mounted that goes at the end.
    func note(_ path: String) { paths.append(path) }

    func bind(_ source: String, _ path: String) {
        #expect(mount(source, path, nil, UInt(MS_BIND), nil) == 0, "\(path): \(errno)")
        paths.append(path)
    }

    /// Lazily: a look-up of a moment ago may keep a directory open for a while, as another program's may.
    func end(_ path: String) {
        #expect(umount2(path, CInt(MNT_DETACH)) == 0, "\(path): \(errno)")
        paths.removeAll { $0 == path }
    }

    deinit { for path in paths.reversed() { umount2(path, CInt(MNT_DETACH)) } }
}

@Suite(.serialized, .needsRoot("mounts", if: Mounts.areAllowed)) struct MountTests {
    let directory = TemporaryDirectory()

    /// A barrier takes in what was mounted before it.
    private func settle(_ fixture: WatcherFixture, _ context: String = "") { fixture.settle(context) }

    @Test func overADirectoryOfAContainer() throws {
        let mounts = Mounts()
        for name in ["a", "a/b", "a/b/c"] { directory.makeDirectory(name) }
        directory.write("a/b/c/f")
        directory.write("a/b/g")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        let entry = fixture.tree.identity(at: "a/b")
        mounts.make(directory.url("a/b"))
        directory.write("a/b/inside")
        settle(fixture, "mounted")
        expectEqual(fixture.tree, directory.path, "mounted")
        #expect(fixture.tree.identity(at: "a/b") == entry)
        #expect(fixture.tree.node(at: "a/b/c") == nil)
        #expect(fixture.watcher.figures(of: 1).directories == 2)
        mounts.end(directory.url("a/b"))
        settle(fixture, "unmounted")
        expectEqual(fixture.tree, directory.path, "unmounted")
        #expect(fixture.tree.identity(at: "a/b") == entry)
        #expect(fixture.watcher.figures(of: 1).directories == 4)
        directory.write("a/b/c/f", "watched again")
        fixture.settle()
        expectEqual(fixture.tree, directory.path, "watched again")
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    @Test func `A mount has the extended attributes of its own directory`() throws {
        let mounts = Mounts()
        directory.makeDirectory("a")
        directory.setAttribute("xdg.comment", of: "a", to: Array("covered".utf8))
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        var isFilled = false
        fixture.watcher.setReadsXattrs(1) { isFilled = true }
        fixture.iterate(until: { isFilled })
        let node = try #require(fixture.tree.node(at: "a"))
        let covered = fixture.tree.entry(node).xattrs
        #expect(covered?.isEmpty == false)
        mounts.make(directory.url("a"))
        settle(fixture, "mounted")
        #expect(fixture.tree.entry(node).xattrs == [])
        mounts.end(directory.url("a"))
        settle(fixture, "unmounted")
        #expect(fixture.tree.entry(node).xattrs == covered)
    }

    /// A bind mount is the same directory under another name, and a file may be covered too.
    @Test func bindMounts() throws {
        let mounts = Mounts()
        for name in ["a", "b"] { directory.makeDirectory(name) }
        directory.write("a/f", "one")
        directory.write("g", "two")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        mounts.bind(directory.url("a"), directory.url("b"))
        mounts.bind(directory.url("a/f"), directory.url("g"))
        settle(fixture, "mounted")
        expectEqual(fixture.tree, directory.path, "mounted")
        mounts.end(directory.url("g"))
        mounts.end(directory.url("b"))
        settle(fixture, "unmounted")
        expectEqual(fixture.tree, directory.path, "unmounted")
        #expect(fixture.watcher.figures(of: 1).directories == 3)
    }

    @Test func aContainerOnAMountPoint() throws {
        let mounts = Mounts()
        let store = TemporaryDirectory()
        store.makeDirectory("d")
        store.write("d/f")
        directory.makeDirectory("m")
        directory.write("m/beneath")
        mounts.bind(store.path, directory.url("m"))
        let fixture = try WatcherFixture(containers: [1, 2])
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.watcher.addContainer(2, path: directory.url("m"))
        fixture.settle()
        expectEqual(fixture.tree, directory.path)
        expectEqual(fixture.tree, directory.url("m"), container: 2)
        let file = fixture.tree.identity(at: "d/f", in: 2)
        #expect(file != nil)
        mounts.end(directory.url("m"))
        settle(fixture, "unmounted")
        #expect(fixture.tree.contents(of: 2).isEmpty)
        guard case .unavailable(let reason) = fixture.watcher.state(of: 2) else {
            Issue.record("\(String(describing: fixture.watcher.state(of: 2)))")
            return
        }
        #expect(reason.contains("not mounted"))
        expectEqual(fixture.tree, directory.path, "unmounted")
        #expect(fixture.tree.node(at: "m/beneath") != nil)
        mounts.bind(store.path, directory.url("m"))
        settle(fixture, "mounted again")
        #expect(fixture.watcher.state(of: 2) == .live)
        #expect(fixture.tree.identity(at: "d/f", in: 2) == file)
        expectEqual(fixture.tree, directory.path, "mounted again")
        expectEqual(fixture.tree, directory.url("m"), container: 2, "mounted again")
    }

    /// The container follows, also over a restart, and comes back to the directory that it had read.
    @Test func overAContainerThatHoldsSomething() throws {
        let mounts = Mounts()
        directory.makeDirectory("d")
        directory.write("d/f")
        var fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        for isRestarted in [false, true] {
            mounts.make(directory.path)
            settle(fixture, "mounted")
            #expect(fixture.watcher.state(of: 1) == .live)
            #expect(fixture.tree.contents(of: 1).isEmpty)
            directory.write("above")
            settle(fixture, "written")
            expectEqual(fixture.tree, directory.path, "mounted")
            if isRestarted {
                fixture.watcher.close()
                let wasMountPoint = fixture.watcher.isMountPoint(1)
                fixture = try WatcherFixture(tree: fixture.tree)
                fixture.watcher.addContainer(1, path: directory.path, isKnown: true, wasMountPoint: wasMountPoint)
                settle(fixture, "restarted")
                expectEqual(fixture.tree, directory.path, "restarted")
            }
            mounts.end(directory.path)
            settle(fixture, "unmounted")
            #expect(fixture.watcher.state(of: 1) == .live)
            expectEqual(fixture.tree, directory.path, "unmounted")
            #expect(fixture.tree.node(at: "d/f") != nil)
        }
    }

    /// An empty directory is a mount point as soon as something is mounted there: of what lies in that it says nothing.
    @Test func overAContainerThatHoldsNothing() throws {
        let mounts = Mounts()
        let store = TemporaryDirectory()
        store.write("f")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        mounts.bind(store.path, directory.path)
        settle(fixture, "mounted")
        expectEqual(fixture.tree, directory.path, "mounted")
        let file = fixture.tree.identity(at: "f")
        mounts.end(directory.path)
        settle(fixture, "unmounted")
        #expect(fixture.watcher.isUnmounted(1))
        #expect(fixture.watcher.state(of: 1) == .unavailable(reason: "its file system is not mounted"))
        mounts.bind(store.path, directory.path)
        settle(fixture, "mounted again")
        #expect(!fixture.watcher.isUnmounted(1))
        #expect(fixture.tree.identity(at: "f") == file)
    }

    /// At a start, an empty directory where a file system was mounted says nothing of what is known.
    @Test func notMountedAtTheStart() throws {
        let mounts = Mounts()
        let store = TemporaryDirectory()
        store.write("f")
        mounts.bind(store.path, directory.path)
        var fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        #expect(fixture.watcher.isMountPoint(1))
        let file = fixture.tree.identity(at: "f")
        fixture.watcher.close()
        mounts.end(directory.path)
        fixture = try WatcherFixture(tree: fixture.tree)
        fixture.watcher.addContainer(1, path: directory.path, isKnown: true, wasMountPoint: true)
        fixture.settle()
        #expect(fixture.tree.contents(of: 1).isEmpty)
        #expect(fixture.watcher.isMountPoint(1))
        mounts.bind(store.path, directory.path)
        settle(fixture)
        #expect(fixture.watcher.state(of: 1) == .live)
        expectEqual(fixture.tree, directory.path)
        #expect(fixture.tree.identity(at: "f") == file)
    }

    /// One directory in two containers has one watch: one of them has it, and the other says that it is polled.
    @Test func oneDirectoryInTwoContainers() throws {
        let mounts = Mounts()
        for name in ["a", "a/d", "a/d/e", "b"] { directory.makeDirectory(name) }
        directory.write("a/d/f")
        mounts.bind(directory.url("a/d"), directory.url("b"))
        var settings = WatchSettings()
        settings.pollInterval = 50_000_000
        let fixture = try WatcherFixture(containers: [1, 2], settings: settings)
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.watcher.addContainer(2, path: directory.url("b"))
        fixture.settle()
        fixture.iterate(until: { fixture.watcher.figures(of: 1).polled + fixture.watcher.figures(of: 2).polled == 2 })
        #expect(fixture.watcher.figures(of: 1).overLimit + fixture.watcher.figures(of: 2).overLimit == 0)
        let states = [UInt32(1), 2].map { "\(String(describing: fixture.watcher.state(of: $0)))" }
        #expect(states.contains { $0.contains("another container has them too") }, "\(states)")
        directory.write("a/d/e/g")
        fixture.iterate(until: {
            fixture.tree.node(at: "a/d/e/g") != nil && fixture.tree.node(at: "e/g", in: 2) != nil
        })
    }

    @Test func aboveAContainer() throws {
        let mounts = Mounts()
        directory.makeDirectory("a")
        directory.makeDirectory("a/c")
        directory.write("a/c/f")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.url("a/c"))
        fixture.settle()
        mounts.make(directory.url("a"))
        settle(fixture)
        #expect(fixture.tree.contents(of: 1).isEmpty)
        mounts.end(directory.url("a"))
        settle(fixture)
        #expect(fixture.watcher.state(of: 1) == .live)
        expectEqual(fixture.tree, directory.url("a/c"))
    }

    /// Memory and overlays tell of everything.
    @Test func memoryIsLive() throws {
        let mounts = Mounts()
        mounts.make(directory.path)
        directory.write("f")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    /// The thread says so once for each change that comes after it was armed.
    @Test func theWatchWakes() throws {
        let mounts = Mounts()
        let signal = try WakeSignal()
        let watch = try MountWatch { signal.signal.set() }
        for _ in 0..<3 {
            let before = try MountTable.read()
            mounts.make(directory.path)
            _ = try Poll.untilReadable(signal.signal.number, signal.signal.number)
            signal.signal.clear()
            watch.arm()
            let after = try MountTable.read()
            #expect(after.subtracting(before).map(\.path).contains(Array(directory.path.utf8)))
            mounts.end(directory.path)
            _ = try Poll.untilReadable(signal.signal.number, signal.signal.number)
            signal.signal.clear()
            watch.arm()
        }
        watch.stop()
    }
}
