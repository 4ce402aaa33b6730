// Hard links whose first name is gone: link counts, sizes and times of the names that remain.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import Synchronization
import TestSupport
import Testing

@Suite struct HardLinkEventTests {
    let directory = TemporaryDirectory()

    private func live() throws -> WatcherFixture {
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle("first crawl")
        return fixture
    }

    private func check(
        _ fixture: WatcherFixture, _ context: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        fixture.settle(context)
        expectEqual(fixture.tree, directory.path, context, sourceLocation: sourceLocation)
    }

    private func size(of name: String, in fixture: WatcherFixture) -> Int64? {
        fixture.tree.node(at: name).map { fixture.tree.status(of: $0).size }
    }

    private func create(_ name: String) -> CInt {
        let file = open(directory.url(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        directory.check(file, name)
        return file
    }

    private func write(_ file: CInt, _ text: String = "text") {
        let count = text.utf8.withContiguousStorageIfAvailable { Glibc.write(file, $0.baseAddress, $0.count) }
        #expect(count == text.utf8.count)
    }

    enum Churn: CaseIterable {
        /// One temporary name in one directory.
        case oneName
        /// A temporary name of its own for each file, as `git hash-object` makes them, in directories that are made for them.
        case newDirectories
        /// The temporary name lies in another directory than the lasting one.
        case twoDirectories
        /// The first crawl reads the directories meanwhile.
        case firstCrawl
    }

    @Test(arguments: Churn.allCases) func temporaryNamesUnlinkedAfterALinkLeaveRightLinkCounts(_ churn: Churn) throws {
        directory.makeDirectory("tmp")
        if churn == .firstCrawl {
            for number in 0..<256 {
                directory.makeDirectory("\(number)")
                directory.makeDirectory("\(number)/empty")
            }
        }
        let fixture = try WatcherFixture()
        if churn != .firstCrawl {
            fixture.watcher.addContainer(1, path: directory.path)
            fixture.settle("first crawl")
        }
        let root = directory.path
        let writers = 4
        let done = (0..<writers).map { _ in Flag() }
        let threads = (0..<writers).map { writer in
            TestThread {
                for number in 0..<1_250 {
                    let isGrouped = churn == .newDirectories || churn == .firstCrawl
                    let group = isGrouped ? "\(root)/\(number % 256)" : root
                    if churn == .newDirectories { mkdir(group, 0o755) }
                    let temporary =
                        switch churn {
                        case .oneName: "\(root)/t\(writer)"
                        case .twoDirectories: "\(root)/tmp/t\(writer)-\(number)"
                        case .newDirectories, .firstCrawl: "\(group)/t\(writer)-\(number)"
                        }
                    let file = open(temporary, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
                    _ = Glibc.write(file, "text", 4)
                    close(file)
                    link(temporary, "\(group)/done\(writer)-\(number)")
                    unlink(temporary)
                }
                done[writer].set()
            }
        }
        if churn == .firstCrawl { fixture.watcher.addContainer(1, path: root) }
        while !done.allSatisfy(\.isSet) { fixture.iterate() }
        for thread in threads { thread.join() }
        check(fixture, "\(churn)")
    }

    enum Place: CaseIterable { case same, other }

    /// `O_TMPFILE` of `fcntl.h`, a macro that Swift does not import.
    private let temporaryFile = 0o20_000_000 | O_DIRECTORY

    @Test(arguments: Place.allCases, [false, true])
    func writesThroughADescriptorWhoseNameIsUnlinkedAreSeen(at place: Place, eachStepIsRead: Bool) throws {
        directory.makeDirectory("other")
        let fixture = try live()
        let done = place == .same ? "done" : "other/done"
        let file = create("temporary")
        if eachStepIsRead { check(fixture, "created") }
        directory.link("temporary", done)
        if eachStepIsRead { check(fixture, "linked") }
        directory.remove("temporary")
        check(fixture, "unlinked")
        write(file, "one")
        check(fixture, "written")
        #expect(size(of: done, in: fixture) == 3)
        write(file, "two")
        close(file)
        check(fixture, "written and closed")
        #expect(size(of: done, in: fixture) == 6)
    }

    @Test(arguments: Place.allCases, [false, true])
    func writesToATemporaryFileThatGotANameAreSeen(at place: Place, eachStepIsRead: Bool) throws {
        directory.makeDirectory("other")
        let fixture = try live()
        let done = place == .same ? "done" : "other/done"
        let file = open(directory.path, temporaryFile | O_WRONLY | O_CLOEXEC, 0o600)
        directory.check(file, "O_TMPFILE")
        write(file, "one")
        if eachStepIsRead { check(fixture, "written without a name") }
        #expect(
            linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, directory.url(done), AT_SYMLINK_FOLLOW) == 0)
        check(fixture, "linked")
        write(file, "two")
        check(fixture, "written")
        #expect(size(of: done, in: fixture) == 6)
        fchmod(file, 0o640)
        write(file, "three")
        close(file)
        check(fixture, "written and closed")
        #expect(size(of: done, in: fixture) == 11)
    }

    @Test(arguments: [false, true])
    func writesThroughADescriptorWhoseNameIsReplacedAreSeenAtTheOtherName(eachStepIsRead: Bool) throws {
        let fixture = try live()
        let file = create("n")
        if eachStepIsRead { check(fixture, "created") }
        directory.link("n", "n.old")
        directory.write("n.tmp", "new")
        if eachStepIsRead { check(fixture, "linked") }
        directory.move("n.tmp", "n")
        check(fixture, "replaced")
        write(file, "more")
        check(fixture, "written")
        #expect(size(of: "n.old", in: fixture) == 4)
        close(file)
        check(fixture, "closed")
    }

    @Test func writesThroughADescriptorWhoseNameWasMovedOutAreSeenAtTheOtherName() throws {
        let outside = TemporaryDirectory()
        let fixture = try live()
        let file = create("n")
        directory.link("n", "kept")
        check(fixture, "linked")
        #expect(rename(directory.url("n"), outside.url("n")) == 0)
        check(fixture, "moved out")
        directory.remove("kept")
        #expect(link(outside.url("n"), directory.url("kept")) == 0)
        #expect(unlink(outside.url("n")) == 0)
        check(fixture, "linked again")
        close(file)
    }

    /// Writes to files that have no name left cost one look-up an iteration at most, however many there are.
    @Test func writesToUnlinkedFilesCauseFewLookUps() throws {
        let fixture = try live()
        let file = create("gone")
        directory.remove("gone")
        check(fixture, "unlinked")
        let before = fixture.watcher.counters.lookUps
        // Each write changes the event's name, or the kernel would merge them.
        for _ in 0..<1_000 {
            write(file)
            #expect(fchmod(file, 0o600) == 0)
        }
        check(fixture, "written")
        close(file)
        #expect(fixture.watcher.counters.eventsRead > 1_000)
        #expect(fixture.watcher.counters.lookUps - before < 20)
    }
}
