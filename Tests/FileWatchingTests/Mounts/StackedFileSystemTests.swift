// Overlays and file systems in user space, for real where this is allowed.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import TestSupport
import Testing

extension Mounts {
    /// Mounts an overlay whose layers lie in a directory as `lower`, `upper` and `work`.
    func overlay(_ layers: String, _ path: String) -> Bool {
        let options = "lowerdir=\(layers)/lower,upperdir=\(layers)/upper,workdir=\(layers)/work"
        guard mount("overlay", path, "overlay", 0, options) == 0 else { return false }
        note(path)
        return true
    }

    /// Whether overlays can be mounted on the file system of temporary directories, tried once.
    static let overlaysAreAllowed: Bool = {
        guard areAllowed else { return false }
        let directory = TemporaryDirectory()
        for name in ["lower", "upper", "work", "merged"] { directory.makeDirectory(name) }
        return Mounts().overlay(directory.path, directory.url("merged"))
    }()

    /// Whether there is `bindfs` (Debian has it), and FUSE, tried once.
    static let hasBindfs: Bool = {
        guard areAllowed else { return false }
        let directory = TemporaryDirectory()
        for name in ["a", "b"] { directory.makeDirectory(name) }
        let mounts = Mounts()
        return mounts.bindfs(directory.url("a"), directory.url("b"))
    }()

    func bindfs(_ source: String, _ path: String) -> Bool {
        guard run("bindfs", "-o", "nonempty", source, path) == 0 else { return false }
        note(path)
        return true
    }
}

@Suite(.serialized, .needsRoot("mounts", if: Mounts.overlaysAreAllowed)) struct OverlayTests {
    let directory = TemporaryDirectory()

    init() {
        for name in ["lower", "upper", "work", "merged", "lower/d", "lower/d/e"] { directory.makeDirectory(name) }
        for name in ["lower/f", "lower/d/f", "lower/d/g", "lower/d/e/f", "lower/d/e/h"] { directory.write(name, "1") }
    }

    /// With the first change a directory or a file is copied to the upper layer, and has another birth time from then on.
    @Test(arguments: ["merged", "merged/d"]) func asAContainer(path: String) throws {
        let mounts = Mounts()
        try #require(mounts.overlay(directory.path, directory.url("merged")))
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.url(path))
        fixture.settle()
        expectEqual(fixture.tree, directory.url(path))
        let prefix = path == "merged" ? "d/" : ""
        let kept = ["e", "e/f", "e/h", "f", "g"].map { prefix + $0 }
        let identities = kept.map { fixture.tree.identity(at: $0) }
        let steps: [(String, () -> Void)] = [
            ("written", { directory.append("merged/d/e/f", "more") }),
            ("made", { directory.write("merged/d/e/new", "2") }),
            ("mode", { directory.check(chmod(directory.url("merged/d"), 0o700), "chmod") }),
            ("moved", { directory.check(rename(directory.url("merged/d/g"), directory.url("merged/d/e/g")), "mv") }),
            ("back", { directory.check(rename(directory.url("merged/d/e/g"), directory.url("merged/d/g")), "mv") }),
            ("removed", { directory.check(unlink(directory.url("merged/d/e/new")), "rm") }),
        ]
        for (name, step) in steps {
            step()
            fixture.settle(name)
            expectEqual(fixture.tree, directory.url(path), name)
        }
        fixture.watcher.rescan(1) { _ in }
        fixture.iterate(until: { fixture.watcher.state(of: 1) == .live })
        expectEqual(fixture.tree, directory.url(path), "compared")
        #expect(kept.map { fixture.tree.identity(at: $0) } == identities)
        #expect(
            !fixture.notices.contains { if case .containerGone = $0 { true } else { false } }, "\(fixture.notices)")
    }

    @Test func belowAContainer() throws {
        let mounts = Mounts()
        directory.makeDirectory("c")
        directory.makeDirectory("c/m")
        directory.write("c/m/covered")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.url("c"))
        fixture.settle()
        let entry = fixture.tree.identity(at: "m")
        try #require(mounts.overlay(directory.path, directory.url("c/m")))
        directory.append("c/m/d/f", "more")
        fixture.settle("mounted")
        expectEqual(fixture.tree, directory.url("c"), "mounted")
        #expect(fixture.tree.identity(at: "m") == entry && fixture.tree.node(at: "m/covered") == nil)
        mounts.end(directory.url("c/m"))
        fixture.settle("unmounted")
        expectEqual(fixture.tree, directory.url("c"), "unmounted")
        #expect(fixture.tree.identity(at: "m") == entry && fixture.tree.node(at: "m/covered") != nil)
    }
}

@Suite(.serialized, .needsRoot("mounts", if: Mounts.hasBindfs)) struct FUSETests {
    let directory = TemporaryDirectory()

    init() { for name in ["source", "source/d", "m"] { directory.makeDirectory(name) } }

    /// Changes through it are told at once, and changes beneath it by the next poll. The state says so.
    @Test func asAContainer() throws {
        directory.write("source/d/f", "1")
        let mounts = Mounts()
        try #require(mounts.bindfs(directory.url("source"), directory.url("m")))
        var settings = WatchSettings()
        settings.pollInterval = 20_000_000
        let fixture = try WatcherFixture(settings: settings)
        fixture.watcher.addContainer(1, path: directory.url("m"))
        fixture.settle()
        expectEqual(fixture.tree, directory.url("m"))
        let state = fixture.watcher.state(of: 1).map { "\($0)" } ?? ""
        #expect(state.contains("degraded") && state.contains("fuse"), "\(state)")
        directory.append("m/d/f", "more")
        directory.write("m/d/new", "2")
        fixture.settle("through it")
        expectEqual(fixture.tree, directory.url("m"), "through it")
        directory.write("source/d/beneath", "3")
        directory.check(rename(directory.url("source/d/f"), directory.url("source/moved")), "mv")
        fixture.iterate(until: {
            fixture.tree.node(at: "d/beneath") != nil && fixture.tree.node(at: "moved") != nil
                && fixture.tree.node(at: "d/f") == nil
        })
        mounts.end(directory.url("m"))
        fixture.iterate(
            until: {
                if case .unavailable? = fixture.watcher.state(of: 1) { true } else { false }
            }, "unmounted")
    }

    @Test func belowAContainer() throws {
        directory.makeDirectory("c")
        directory.makeDirectory("c/m")
        directory.write("c/m/covered")
        let mounts = Mounts()
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.url("c"))
        fixture.settle()
        try #require(mounts.bindfs(directory.url("source"), directory.url("c/m")))
        fixture.settle("mounted")
        expectEqual(fixture.tree, directory.url("c"), "mounted")
        #expect(fixture.tree.node(at: "m/covered") == nil && fixture.tree.node(at: "m/d") == nil)
        mounts.end(directory.url("c/m"))
        fixture.settle("unmounted")
        expectEqual(fixture.tree, directory.url("c"), "unmounted")
        #expect(fixture.watcher.state(of: 1) == .live)
    }
}
