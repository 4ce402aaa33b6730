// Extended attributes and who may read them: never those of one moment with the rights of another, and never what is not known any more.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata
import Synchronization
import Testing

@testable import FileWatching

@Suite struct ExtendedAttributeLookUpTests {
    static let list = AccessLists.intern(
        AccessList(entries: [
            .init(.owner, [.read, .write]), .init(.user, [], number: 41_001), .init(.owningGroup, .read),
            .init(.mask, .read), .init(.other, .read),
        ]).bytes, owner: 0)

    func fixture(reads: Bool = true, settings: (inout WatchSettings) -> Void = { _ in }) -> PlayedFixture {
        let fixture = PlayedFixture(settings: settings)
        for name in ["c", "c/d", "outside"] { fixture.kernel.create(name, .directory) }
        for name in ["c/f", "c/d/g"] { fixture.kernel.create(name) }
        fixture.watcher.addContainer(1, path: "/c")
        if reads { fixture.watcher.setReadsXattrs(1) }
        fixture.rest()
        return fixture
    }

    func comment(_ tree: DictionaryTree, _ path: String) throws -> String? {
        let node = try #require(tree.node(at: path), "\(path)")
        guard let bytes = tree.entry(node).xattrs else { return nil }
        let xattrs = try #require(bytes.withUnsafeBytes { ExtraAttributes($0) })
        guard case .string(let text) = xattrs.value(of: .comment) else { return "" }
        return text
    }

    func list(_ tree: DictionaryTree, _ path: String) throws -> AccessListID {
        tree.entry(try #require(tree.node(at: path))).status.accessList
    }

    private func set(
        _ fixture: PlayedFixture, _ path: String, _ comment: String, mode: UInt16? = nil, list: AccessListID? = nil,
        ticks: Bool = true
    ) {
        fixture.kernel.setXattrs(path, ["xdg.comment": comment], mode: mode, list: list, ticks: ticks)
    }

    // MARK: Errors

    @Test func `A failure says nothing of what there is, and is made good`() throws {
        let fixture = fixture()
        set(fixture, "c/f", "one")
        fixture.rest()
        #expect(try comment(fixture.tree, "f") == "one")
        // Nothing has changed: it is what it was.
        fixture.kernel.failXattrs("c/f", SystemError(code: 5))
        fixture.watcher.rescan(1) { _ in }
        fixture.rest()
        #expect(try comment(fixture.tree, "f") == "one")
        guard case .degraded? = fixture.watcher.state(of: 1) else {
            Issue.record("\(String(describing: fixture.watcher.state(of: 1)))")
            return
        }
        // It has, and so it is not known.
        set(fixture, "c/f", "two")
        fixture.rest()
        #expect(try comment(fixture.tree, "f") == nil)
        fixture.kernel.failXattrs("c/f", nil)
        fixture.wait(seconds: 61)
        #expect(try comment(fixture.tree, "f") == "two")
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    @Test func `A failure of a look-up is made good without an event`() throws {
        let fixture = fixture()
        fixture.kernel.failXattrs("c/d/g", .noMemory)
        set(fixture, "c/d/g", "one")
        fixture.rest()
        #expect(try comment(fixture.tree, "d/g") == nil)
        fixture.kernel.failXattrs("c/d/g", nil)
        fixture.wait(seconds: 61)
        #expect(try comment(fixture.tree, "d/g") == "one")
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    /// Also one that a server gives whose file is another by now (NFS, FUSE): that says nothing of the directory's number, nor
    /// of the kernel's watches or another container's.
    @Test(arguments: [.stale, .busy, .noSpace, .noMemory] as [SystemError], [true, false])
    func `A failure is what the container is said to lack`(error: SystemError, isCrawl: Bool) throws {
        let fixture = fixture()
        fixture.kernel.failXattrs("c/f", error)
        if isCrawl { fixture.watcher.rescan(1) { _ in } } else { set(fixture, "c/f", "one") }
        fixture.rest()
        let reason = "1 of 2 directories are polled: \(PollReason.shortage(error))"
        #expect(fixture.watcher.state(of: 1) == .degraded(reason: reason))
        fixture.kernel.failXattrs("c/f", nil)
        fixture.wait(seconds: 61)
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    @Test(arguments: [true, false]) func `Xattrs shared by many files are told of each`(isCrawl: Bool) throws {
        let fixture = PlayedFixture { if !isCrawl { $0.directorySlice = 7 } }
        fixture.kernel.create("c", .directory)
        let comments = [nil, "one", "two", String(repeating: "three", count: 100), "fails"]
        for number in 0..<60 {
            let path = "c/n\(number)"
            fixture.kernel.create(path)
            if let comment = comments[number % 5] { set(fixture, path, comment) }
            if number % 5 == 4 { fixture.kernel.failXattrs(path, .noMemory) }
        }
        fixture.watcher.addContainer(1, path: "/c", readsXattrs: isCrawl)
        fixture.rest()
        if !isCrawl { fixture.watcher.setReadsXattrs(1) }
        fixture.rest()
        for number in 0..<60 {
            let expected = number % 5 == 4 ? nil : comments[number % 5] ?? ""
            #expect(try comment(fixture.tree, "n\(number)") == expected, "\(number)")
        }
    }

    // MARK: With who may read them

    @Test func `A file closed while it is looked at is told as closed`() throws {
        let fixture = fixture()
        let node = try #require(fixture.tree.node(at: "f"))
        fixture.kernel.state.withLock { state in
            state.beforeXattrs = { state in
                state.beforeXattrs = nil
                guard let inode = state.inodes[1]?.children["c"], let file = state.inodes[inode]?.children["f"] else {
                    return
                }
                state.time += 1
                let xattrs = ExtraAttributes([(Array("xdg.comment".utf8), Array("secret".utf8))])
                state.inodes[file]?.xattrs = xattrs.bytes
                state.inodes[file]?.status.mode = 0o600
                state.inodes[file]?.status.changed = Timestamp(nanoseconds: state.time)
            }
        }
        fixture.kernel.write("c/f", size: 3)
        fixture.rest()
        #expect(try comment(fixture.tree, "f") == "secret")
        #expect(fixture.tree.entry(node).status.mode == 0o600)
    }

    /// More often than they are read for one look: the extended attributes told then are not of the file as it stands in the row, and an event
    /// has told that there is more.
    @Test(arguments: [true, false]) func `Xattrs that change at each look are told at the end`(isCrawl: Bool) throws {
        let fixture = fixture(reads: !isCrawl)
        let changes = Atomic(0)
        let total = 3 * WatchLimits.xattrAttempts
        fixture.kernel.state.withLock { state in
            state.beforeXattrs = { state in
                guard changes.load(ordering: .relaxed) < total,
                    let top = state.inodes[1]?.children["c"], let file = state.inodes[top]?.children["f"]
                else { return }
                let number = changes.add(1, ordering: .relaxed).newValue
                state.time += 1
                let xattrs = ExtraAttributes([(Array("xdg.comment".utf8), Array("\(number)".utf8))])
                state.inodes[file]?.xattrs = xattrs.bytes
                state.inodes[file]?.status.changed = Timestamp(nanoseconds: state.time)
                guard let watch = state.inodes[top]?.watch else { return }
                state.queue.append(.init(watch: watch, mask: .attributes, name: "f"))
            }
        }
        if isCrawl { fixture.watcher.setReadsXattrs(1) } else { fixture.kernel.write("c/f", size: 3) }
        fixture.wait(seconds: 2)
        #expect(changes.load(ordering: .relaxed) == total)
        #expect(try comment(fixture.tree, "f") == "\(total)")
        fixture.expectEqual("/c")
    }

    @Test(arguments: [true, false]) func `A comparison never shows new xattrs under old rights`(fills: Bool) throws {
        // No more than the least number of look-ups an iteration.
        let fixture = fixture(reads: !fills) { $0.iterationBudget = 0 }
        let names = (0..<300).map { "n\($0)" }
        for name in names { fixture.kernel.create("c/" + name) }
        fixture.rest()
        fixture.kernel.quietly {
            for name in names { set(fixture, "c/" + name, "secret", mode: 0o600, list: Self.list) }
        }
        if fills { fixture.watcher.setReadsXattrs(1) } else { fixture.watcher.rescan(1) { _ in } }
        var iterations = 0
        var idle = 0
        while idle < 4, iterations < 10_000 {
            idle = fixture.watcher.iterate() ? 0 : idle + 1
            iterations += 1
            for name in names where try comment(fixture.tree, name) == "secret" {
                let node = try #require(fixture.tree.node(at: name))
                #expect(fixture.tree.entry(node).status.mode == 0o600, "\(name), iteration \(iterations)")
                #expect(try list(fixture.tree, name) == Self.list, "\(name), iteration \(iterations)")
            }
        }
        for name in names { #expect(try comment(fixture.tree, name) == "secret") }
    }

    @Test func `A fill takes lists and extended attributes as it reads them, without a look at each`() throws {
        let fixture = fixture(reads: false)
        for number in 0..<50 { fixture.kernel.create("c/n\(number)") }
        fixture.kernel.setXattrs("c/n7", ["xdg.comment": "seven"], list: Self.list)
        fixture.rest()
        let before = fixture.watcher.counters.lookUps
        fixture.watcher.setReadsXattrs(1)
        fixture.rest()
        #expect(fixture.watcher.counters.lookUps == before)
        #expect(try comment(fixture.tree, "n7") == "seven" && list(fixture.tree, "n7") == Self.list)
        #expect(try comment(fixture.tree, "n8") == "")
    }

    // MARK: After a restart

    /// A tree that knows extended attributes and lists, without a watcher.
    func saved() throws -> PlayedFixture {
        let fixture = fixture()
        set(fixture, "c/f", "secret", list: Self.list)
        set(fixture, "c/d", "of a directory")
        fixture.rest()
        #expect(try comment(fixture.tree, "f") == "secret" && list(fixture.tree, "f") == Self.list)
        fixture.watcher.close()
        fixture.tree.log = []
        return fixture
    }

    func restart(_ fixture: PlayedFixture, reads: Bool = false) -> PlayedFixture {
        fixture.kernel.state.withLock { $0.queue = [] }
        let next = PlayedFixture(kernel: fixture.kernel, tree: fixture.tree)
        next.watcher.addContainer(1, path: "/c", isKnown: true)
        if reads { next.watcher.setReadsXattrs(1) }
        next.rest()
        return next
    }

    @Test(arguments: [true, false]) func `An unchanged file is no change, and is known still`(reads: Bool) throws {
        let before = try saved()
        let after = restart(before, reads: reads)
        #expect(after.tree.log.isEmpty)
        #expect(after.watcher.counters.lookUps == 0)
        #expect(try comment(after.tree, "f") == "secret" && list(after.tree, "f") == Self.list)
        #expect(try comment(after.tree, "d") == "of a directory")
    }

    @Test func `Changed extended attributes are not known any more where extended attributes are not read`() throws {
        let before = try saved()
        before.kernel.quietly { set(before, "c/f", "another", list: AccessListID.none) }
        let after = restart(before)
        #expect(try comment(after.tree, "f") == nil && list(after.tree, "f") == AccessListID.none)
        after.watcher.setReadsXattrs(1)
        after.rest()
        #expect(try comment(after.tree, "f") == "another")
    }

    @Test(arguments: [true, false]) func `A moved file does not keep xattrs that its list does not guard`(isDown: Bool)
        throws
    {
        let before = try saved()
        if isDown { before.kernel.move("c/f", "c/d/moved") }
        let after = restart(before)
        if !isDown {
            // Not paired.
            after.kernel.state.withLock { $0.readable = 1 }
            after.kernel.move("c/f", "c/d/moved")
            after.wait(seconds: 30)
            after.kernel.state.withLock { $0.readable = nil }
            after.rest()
        }
        let known = try comment(after.tree, "d/moved")
        #expect(try known == nil || list(after.tree, "d/moved") == Self.list, "\(known ?? "")")
    }

    @Test func `A directory that is looked at by itself does not keep xattrs that are not read`() throws {
        let before = try saved()
        let after = restart(before)
        #expect(try comment(after.tree, "d") == "of a directory")
        changeByItself(after, "c/d", "another")
        after.rest()
        #expect(try comment(after.tree, "d") == nil)
    }

    // MARK: Directories by themselves

    /// A change of which only the directory's own watch tells.
    private func changeByItself(_ fixture: PlayedFixture, _ path: String, _ comment: String) {
        fixture.kernel.quietly { set(fixture, path, comment) }
        let inode = fixture.kernel.inode(path) ?? 0
        fixture.kernel.state.withLock { state in
            guard let watch = state.inodes[inode]?.watch else { return }
            state.queue.append(PlayedKernel.Event(watch: watch, mask: [.attributes, .isDirectory]))
        }
    }

    @Test func `Those of a directory are read by its own descriptor too`() throws {
        let fixture = fixture()
        changeByItself(fixture, "c/d", "new")
        fixture.rest()
        #expect(try comment(fixture.tree, "d") == "new")
    }

    // MARK: Older readings

    @Test func `News by another name of a file are not overwritten by an older reading`() throws {
        let fixture = fixture(reads: false)
        fixture.kernel.link("c/d/g", "c/link")
        fixture.rest()
        // The directory of the other name is read between two changes that fall into one tick.
        fixture.kernel.state.withLock { $0.readable = 0 }
        fixture.watcher.jobs.areRead = false
        fixture.watcher.setReadsXattrs(1)
        for _ in 0..<3 { _ = fixture.watcher.iterate() }
        set(fixture, "c/link", "one")
        fixture.watcher.jobs.areRead = true
        for _ in 0..<3 { _ = fixture.watcher.iterate() }
        set(fixture, "c/link", "two", ticks: false)
        fixture.kernel.state.withLock { $0.readable = nil }
        fixture.rest()
        #expect(try comment(fixture.tree, "link") == "two")
        #expect(try comment(fixture.tree, "d/g") == "two")
    }
}
