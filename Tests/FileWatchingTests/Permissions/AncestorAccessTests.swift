// Access control lists of directories and of files with tags, and access to the directories above a container.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import Testing

@Suite struct AncestorAccessTests {
    let directory = TemporaryDirectory()
    let fixture: WatcherFixture
    private static let list = AccessList(entries: [
        .init(.owner, [.read, .write, .search]), .init(.user, [.read, .search], number: 41_001),
        .init(.owningGroup, .read),
        .init(.mask, [.read, .search]), .init(.other, []),
    ])

    init() throws { fixture = try WatcherFixture(readsAccessLists: true) }

    private func setList(_ name: String, _ list: AccessList?) throws {
        let parent = try Directory.open(directory.path, access: .path)
        guard let list else {
            return try ExtendedAttributes.remove(AccessLists.attribute, of: name, in: parent.number)
        }
        try list.bytes.withUnsafeBytes {
            try ExtendedAttributes.set(AccessLists.attribute, of: name, in: parent.number, to: $0)
        }
    }

    private func watch(_ name: String) {
        fixture.watcher.addContainer(1, path: directory.url(name))
        fixture.iterate(until: { fixture.watcher.state(of: 1) == .live }, "live")
    }

    private func known(_ path: String) -> AccessList? {
        guard let node = fixture.tree.node(at: path) else { return nil }
        let list = fixture.tree.status(of: node).accessList
        return list == .none ? nil : AccessLists.list(list)
    }

    @Test func listsOfDirectoriesAreReadAndKept() throws {
        directory.makeDirectory("box")
        directory.makeDirectory("box/a")
        directory.makeDirectory("box/a/b")
        directory.write("box/a/f")
        try setList("box/a", Self.list)
        try setList("box/a/f", Self.list)
        watch("box")
        #expect(known("a") == Self.list)
        #expect(known("a/b") == nil)
        #expect(known("a/f") == nil, "nobody asks for the lists of files without tags")
        try setList("box/a/b", Self.list)
        try setList("box/a", nil)
        fixture.settle()
        #expect(known("a") == nil)
        #expect(known("a/b") == Self.list)
        // The mask is the group's part of the mode.
        directory.setMode("box/a/b", 0o700)
        fixture.settle()
        #expect(known("a/b") != Self.list)
        #expect(known("a/b")?.entries.first { $0.tag == .mask }?.permissions == [])
    }

    @Test func aComparisonFindsNoDifferencesInLists() throws {
        directory.makeDirectory("box")
        directory.makeDirectory("box/a")
        directory.makeDirectory("box/a/b")
        directory.write("box/a/f")
        directory.setTags("box/a/f", "red")
        for name in ["box/a", "box/a/b", "box/a/f"] { try setList(name, Self.list) }
        watch("box")
        var counts: ComparisonCounts?
        fixture.watcher.rescan(1) { counts = $0 }
        fixture.iterate(until: { counts != nil }, "compared")
        #expect(counts == ComparisonCounts())
        #expect(known("a/b") == Self.list)
    }

    @Test func listsOfFilesThatHaveTagsAreRead() throws {
        directory.makeDirectory("box")
        for name in ["box/f", "box/g"] {
            directory.write(name)
            try setList(name, Self.list)
        }
        directory.setTags("box/f", "red")
        watch("box")
        var isDone = false
        fixture.watcher.setReadsXattrs(1) { isDone = true }
        fixture.iterate(until: { isDone }, "tags")
        fixture.settle()
        #expect(known("f") == Self.list)
        #expect(known("g") == nil)
        directory.setTags("box/g", "red")
        try setList("box/f", nil)
        fixture.settle()
        #expect(known("f") == nil)
        #expect(known("g") == Self.list)
    }

    @Test func accessToTheDirectoriesAboveIsKnown() throws {
        directory.makeDirectory("a")
        directory.makeDirectory("a/b")
        directory.makeDirectory("a/b/box")
        watch("a/b/box")
        let depth = directory.path.split(separator: "/").count
        #expect(fixture.watcher.directoriesAbove(1)?.count == depth + 3)
        #expect(fixture.watcher.directoriesAbove(1)?.last?.mode == 0o755)
        #expect(fixture.watcher.takeAncestorAccessChanges() == [1])
        #expect(fixture.watcher.takeAncestorAccessChanges() == [])
        directory.setMode("a/b", 0o711)
        fixture.settle()
        #expect(fixture.watcher.directoriesAbove(1)?.last?.mode == 0o711)
        #expect(fixture.watcher.takeAncestorAccessChanges() == [1])
        try setList("a", Self.list)
        fixture.settle()
        let list = try #require(fixture.watcher.directoriesAbove(1)?[depth + 1].accessList)
        #expect(AccessLists.list(list) == Self.list)
        #expect(fixture.watcher.takeAncestorAccessChanges() == [1])
    }

    /// The directories on the way of a path with a symlink in it have to be passed too.
    @Test func theWayLeadsThroughSymlinks() {
        directory.makeDirectory("real")
        directory.makeDirectory("real/box")
        directory.makeDirectory("way")
        directory.symlink(directory.url("real"), "way/link")
        watch("way/link/box")
        let depth = directory.path.split(separator: "/").count
        // Down to `way`, and from `/` on once more, to `real`.
        #expect(fixture.watcher.directoriesAbove(1)?.count == (depth + 2) + (depth + 2))
        directory.setMode("way", 0o700)
        fixture.settle()
        #expect(fixture.watcher.directoriesAbove(1)?[depth + 1].mode == 0o700)
    }
}
