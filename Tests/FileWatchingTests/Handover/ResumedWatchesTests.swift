// Watches that outlive their process: the next one goes on with them, reads nothing, and knows what happened meanwhile.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import Testing

@Suite struct ResumedWatchesTests {
    let directory = TemporaryDirectory()

    /// The state that a process leaves: the tree that it saved, and the two descriptors.
    struct Left {
        let tree: DictionaryTree
        let inotify: CInt
        let memory: CInt
        var sequence: UInt64 = 1
        var fingerprint: UInt64 = 2

        /// The number of the process in the journal.
        static let run: UInt64 = 77
    }

    private func duplicate(_ number: CInt) -> CInt { fcntl(number, F_DUPFD_CLOEXEC, 3) }

    private func leave(_ fixture: WatcherFixture, _ handover: HandoverMemory) -> Left {
        let left = Left(
            tree: fixture.tree, inotify: duplicate(fixture.kernel.descriptor), memory: duplicate(handover.descriptor))
        fixture.watcher.close()
        fixture.tree.load(1)
        return left
    }

    /// Watches the directory, until everything is at rest.
    private func watch(_ settings: WatchSettings = WatchSettings()) throws -> (
        fixture: WatcherFixture, handover: HandoverMemory
    ) {
        let handover = try HandoverMemory()
        handover.begin(run: Left.run, fingerprint: 2)
        let fixture = try WatcherFixture(settings: settings, handover: handover)
        fixture.watcher.addContainer(1, path: directory.path, key: 5)
        fixture.settle("first crawl")
        fixture.iterate()
        return (fixture, handover)
    }

    /// Directories are read in the iteration that follows.
    private static let readsLater: WatchSettings = {
        var settings = WatchSettings()
        settings.crawlThreads = 0
        return settings
    }()

    /// The same, and an iteration reads no more than a part of what ``writeMuch()`` queues.
    private static let readsLittle: WatchSettings = {
        var settings = readsLater
        settings.readsPerIteration = 1
        return settings
    }()

    private func writeMuch() {
        for number in 0..<5_000 { directory.write("d7/f\(number % 4)", "\(number)") }
    }

    /// Watches the directory and ends, with everything at rest.
    private func begin() throws -> Left {
        let (fixture, handover) = try watch()
        return leave(fixture, handover)
    }

    /// Goes on from what was left.
    private func resume(
        _ left: Left, settings: WatchSettings = WatchSettings(), wasMountPoint: Bool = false, readsXattrs: Bool = false,
        key: UInt64 = 5
    ) throws -> (fixture: WatcherFixture, handover: HandoverMemory, isResumed: Bool) {
        let handover = try HandoverMemory(adopting: Descriptor(owning: left.memory))
        let start = try? handover.start(run: Left.run, sequence: left.sequence, fingerprint: left.fingerprint)
        handover.begin(run: Left.run, fingerprint: left.fingerprint)
        let fixture = try WatcherFixture(tree: left.tree, settings: settings, inotify: left.inotify, handover: handover)
        if let start { fixture.watcher.resume(from: start) }
        fixture.watcher.addContainer(
            1, path: directory.path, isKnown: true, wasMountPoint: wasMountPoint, readsXattrs: readsXattrs, key: key)
        fixture.watcher.replayEvents()
        let isResumed = fixture.watcher.state(of: 1) == .live
        return (fixture, handover, isResumed)
    }

    /// The next process, which was kept and knows the tree as it is.
    private func atRest(after left: Left) throws -> WatcherFixture {
        let (fixture, _, isResumed) = try resume(left)
        #expect(isResumed)
        fixture.settle()
        expectEqual(fixture.tree, directory.path)
        return fixture
    }

    /// Goes on from what was left of a tree, with a directory of it as the only container.
    private func resumeElsewhere() throws -> WatcherFixture {
        makeTree()
        let left = try begin()
        let handover = try HandoverMemory(adopting: Descriptor(owning: left.memory))
        let start = try handover.start(run: Left.run, sequence: 1, fingerprint: 2)
        let fixture = try WatcherFixture(inotify: left.inotify, handover: handover)
        fixture.watcher.resume(from: start)
        fixture.watcher.addContainer(1, path: directory.path + "/d1", key: 6)
        #expect(fixture.watcher.replayEvents())
        fixture.iterate(until: { fixture.watcher.state(of: 1) == .live })
        return fixture
    }

    private func makeTree() {
        for a in 0..<8 {
            directory.makeDirectory("d\(a)")
            for b in 0..<4 {
                directory.makeDirectory("d\(a)/e\(b)")
                directory.write("d\(a)/f\(b)")
            }
        }
    }

    @Test func nothingIsReadAndNothingIsPublishedWhereNothingHappened() throws {
        makeTree()
        let (fixture, _, isResumed) = try resume(try begin())
        #expect(isResumed)
        fixture.settle()
        fixture.iterate()
        #expect(fixture.watcher.counters.directoriesRead == 0)
        #expect(fixture.tree.log.isEmpty)
        #expect(fixture.notices == [.containerGoesOn(container: 1, directories: 41, unread: 0)])
        let figures = fixture.watcher.figures(of: 1)
        #expect(figures.watches == 41 && figures.directories == 41)
        directory.write("d3/e1/new")
        directory.write("d3/f1", "longer than before")
        fixture.settle()
        expectEqual(fixture.tree, directory.path)
        #expect(fixture.watcher.counters.directoriesRead == 0)
    }

    @Test func changesOfMeanwhileAreReceived() throws {
        makeTree()
        let left = try begin()
        directory.write("d1/new")
        directory.write("d1/f1", "longer than before")
        directory.remove("d2/f2")
        directory.move("d3", "d4/moved")
        directory.move("d4/moved/f0", "d5/f0")
        directory.makeDirectory("d6/deep")
        directory.makeDirectory("d6/deep/er")
        directory.write("d6/deep/er/f")
        let (fixture, _, isResumed) = try resume(left)
        #expect(isResumed)
        fixture.settle()
        expectEqual(fixture.tree, directory.path)
        // The two that are new, and nothing else.
        #expect(fixture.watcher.counters.directoriesRead == 2)
        #expect(fixture.watcher.counters.movesPaired == 2)
    }

    /// Events that were read and not dealt with are heard once more.
    @Test func eventsReadAndNotDealtWithAreReceivedAgain() throws {
        makeTree()
        let (fixture, handover) = try watch()
        directory.write("d1/new")
        directory.move("d2", "d7/moved")
        // Read, and the process ends.
        try fixture.kernel.readAhead()
        #expect(try fixture.kernel.queuedBytes() > 0)
        let next = try atRest(after: leave(fixture, handover))
        #expect(next.watcher.counters.directoriesRead == 0)
        #expect(next.watcher.counters.movesPaired == 1)
    }

    /// A comparison asked for from outside has its position behind the last event: the ring ends there, and not within that event.
    @Test func aComparisonThatIsUnderWayLeavesWholeRecords() throws {
        makeTree()
        let (fixture, handover) = try watch(ResumedWatchesTests.readsLater)
        let name = "a name of some length, in several pieces of sixteen"
        directory.write("d1/" + name)
        // Heard, and not let go of before the comparison begins.
        while fixture.watcher.waitingBytes > 0 { _ = fixture.watcher.iterate() }
        var isCompared = false
        fixture.watcher.rescan(1) { _ in isCompared = true }
        fixture.iterate()
        #expect(!isCompared)
        let left = leave(fixture, handover)
        // A ring that began within an event would be refused. All of this one is dealt with. Changes by others beside the
        // directory may have been heard since.
        let next = try HandoverMemory(adopting: Descriptor(owning: left.memory))
        let records = try EventRingTests.take(next.ring)
        #expect(records.firstRange(of: Array(name.utf8)) == nil)
        close(left.inotify)
    }

    /// The process ends three times in a row.
    @Test func oneAfterTheOther() throws {
        makeTree()
        var left = try begin()
        for round in 0..<3 {
            directory.write("d\(round)/new")
            directory.move("d\(round)/e0", "d\(round + 1)/moved\(round)")
            let (fixture, handover, isResumed) = try resume(left)
            #expect(isResumed, "round \(round)")
            fixture.settle()
            fixture.iterate()
            expectEqual(fixture.tree, directory.path, "round \(round)")
            #expect(fixture.watcher.counters.directoriesRead == 0, "round \(round)")
            left = leave(fixture, handover)
        }
        close(left.inotify)
        close(left.memory)
    }

    @Test func aDirectoryThatCameBetweenIsReadThoughItsWatchIsThere() throws {
        makeTree()
        let (fixture, handover) = try watch(ResumedWatchesTests.readsLater)
        // It gets its row, and its reading waits.
        fixture.watcher.jobs.areRead = false
        directory.makeDirectory("d0/later")
        directory.write("d0/later/f")
        fixture.iterate()
        let next = try atRest(after: leave(fixture, handover))
        #expect(next.watcher.counters.directoriesRead == 1)
    }

    /// Where the `IN_MOVED_TO` of a rename was heard of a directory that was being read, the first waits when the process ends, and
    /// its row has not moved.
    @Test func aRenameWhoseSecondEventWasHeldWaitsAgain() throws {
        makeTree()
        var settings = ResumedWatchesTests.readsLittle
        settings.renameWindow = 3_600_000_000_000
        let (fixture, handover) = try watch(settings)
        let identity = fixture.tree.identity(at: "d1/f1")
        fixture.watcher.jobs.areRead = false
        directory.makeDirectory("d0/later")
        while fixture.iterate() {}
        fixture.watcher.jobs.areRead = true
        // It is watched and read, and the results wait for the events that were queued before.
        writeMuch()
        _ = fixture.iterate()
        directory.move("d1/f0", "d0/later/f")
        directory.remove("d0/later/f")
        while fixture.iterate() {}
        #expect(fixture.tree.identity(at: "d1/f0") != nil)
        let left = leave(fixture, handover)
        directory.move("d1/f1", "d1/f0")
        let next = try atRest(after: left)
        #expect(next.tree.identity(at: "d1/f0") == identity)
    }

    // Its row has made way, and where it is now is read by the next process alone.
    @Test func aDetachedFileIsTheSameWhereTheNextFindsIt() throws {
        makeTree()
        let (fixture, handover) = try watch(ResumedWatchesTests.readsLater)
        let identity = fixture.tree.identity(at: "d1/f1")
        fixture.watcher.jobs.areRead = false
        directory.makeDirectory("new")
        directory.move("d1/f1", "new/f")
        let outside = TemporaryDirectory()
        outside.write("file")
        #expect(rename(outside.path + "/file", directory.path + "/d1/f1") == 0)
        while fixture.iterate() {}
        #expect(fixture.tree.identity(at: "d1/f1") != identity)
        #expect(fixture.tree.identity(at: "new/f") == nil)
        let next = try atRest(after: leave(fixture, handover))
        #expect(next.tree.identity(at: "new/f") == identity)
    }

    // It came to an unwatched name, and has left that at the next look: the event of its move is queued.
    @Test func aDetachedFileIsTheSameThoughItMovesOnWithoutEvents() throws {
        makeTree()
        let (fixture, handover) = try watch(ResumedWatchesTests.readsLater)
        let identity = fixture.tree.identity(at: "d1/f1")
        fixture.watcher.jobs.areRead = false
        directory.makeDirectory("new")
        directory.move("d1/f1", "new/f")
        let outside = TemporaryDirectory()
        outside.write("file")
        #expect(rename(outside.path + "/file", directory.path + "/d1/f1") == 0)
        while fixture.iterate() {}
        #expect(fixture.tree.identity(at: "d1/f1") != identity)
        let left = leave(fixture, handover)
        writeMuch()
        directory.move("new/f", "d2/g")
        directory.removeDirectory("new")
        let (next, _, isResumed) = try resume(left, settings: ResumedWatchesTests.readsLittle)
        #expect(isResumed)
        writeMuch()
        directory.move("d2/g", "d3/h")
        next.settle()
        expectEqual(next.tree, directory.path)
        #expect(next.tree.identity(at: "d3/h") == identity)
    }

    // Events on the name after its file moved away say nothing of the row that stands there.
    @Test func aFileThatLeftANameIsNotTheOneMadeThereSince() throws {
        makeTree()
        let (fixture, handover) = try watch(ResumedWatchesTests.readsLittle)
        let identity = fixture.tree.identity(at: "d1/f1")
        fixture.watcher.jobs.areRead = false
        directory.makeDirectory("new")
        directory.move("d1/f1", "new/f")
        directory.write("d1/f1", "another")
        writeMuch()
        _ = fixture.iterate()
        #expect(fixture.tree.identity(at: "d1/f1") == identity)
        let next = try atRest(after: leave(fixture, handover))
        #expect(next.tree.identity(at: "new/f") == identity)
        #expect(next.tree.identity(at: "d1/f1") != identity)
    }

    // A look has made its row, of a file that has come after what is told of the name next.
    @Test(arguments: [false, true]) func aProvisionalRowIsNotTheFileThatLeftItsName(isByTheNext: Bool) throws {
        makeTree()
        var (fixture, handover) = try watch(ResumedWatchesTests.readsLittle)
        let identity = fixture.tree.identity(at: "d0/f0")
        fixture.watcher.jobs.areRead = false
        directory.makeDirectory("new")
        while fixture.iterate() {}
        directory.move("d0/f0", "new/f")
        directory.move("new/f", "d1/g")
        writeMuch()
        directory.move("d1/g", "d1/h")
        directory.write("d1/g", "another")
        _ = fixture.iterate()
        #expect(fixture.tree.identity(at: "d1/g") != nil)
        #expect(fixture.tree.identity(at: "d1/h") == nil)
        if isByTheNext { (fixture, handover, _) = try resume(leave(fixture, handover)) }
        fixture.watcher.jobs.areRead = true
        fixture.settle()
        expectEqual(fixture.tree, directory.path)
        #expect(fixture.tree.identity(at: "d1/h") == identity)
    }

    @Test func stateThatDoesNotFitIsCompared() throws {
        makeTree()
        let left = try begin()
        func copy() -> Left { Left(tree: left.tree, inotify: duplicate(left.inotify), memory: duplicate(left.memory)) }
        // Another state of the index, other circumstances, another container, other extended attributes.
        var other = copy()
        other.sequence = 2
        try #expect(!resume(other).isResumed)
    }

    @Test func otherCircumstancesAreCompared() throws {
        makeTree()
        var left = try begin()
        left.fingerprint = 3
        let (fixture, _, isResumed) = try resume(left)
        #expect(!isResumed)
        fixture.iterate(until: { fixture.watcher.state(of: 1) == .live })
        expectEqual(fixture.tree, directory.path)
    }

    @Test func anotherContainerIsCompared() throws {
        makeTree()
        let (fixture, _, isResumed) = try resume(try begin(), key: 6)
        #expect(!isResumed)
        fixture.iterate(until: { fixture.watcher.state(of: 1) == .live })
        #expect(fixture.notices.first == .containerFound(container: 1, isKnown: true, obstacle: .unknown))
        #expect(fixture.watcher.counters.directoriesRead == 41)
    }

    @Test func extendedAttributesThatWereNotReadAreRead() throws {
        makeTree()
        let (fixture, _, isResumed) = try resume(try begin(), readsXattrs: true)
        #expect(!isResumed)
        fixture.iterate(until: { fixture.watcher.state(of: 1) == .live })
        #expect(fixture.notices.first == .containerFound(container: 1, isKnown: true, obstacle: .other))
    }

    @Test func anotherDirectoryInThePlaceOfTheContainerIsCompared() throws {
        makeTree()
        let left = try begin()
        rename(directory.path, directory.path + ".away")
        mkdir(directory.path, 0o755)
        directory.write("only")
        let (fixture, _, isResumed) = try resume(left)
        #expect(!isResumed)
        fixture.iterate(until: { fixture.watcher.state(of: 1) == .live })
        expectEqual(fixture.tree, directory.path)
        run("rm", "-rf", directory.path + ".away")
    }

    /// A queue that has overflowed costs the comparison that it always costs.
    @Test func anOverflowIsCompared() throws {
        makeTree()
        let left = try begin()
        let limit = try LinuxKernel().queueLimit
        for number in 0...(limit / 2) {
            let path = directory.path + "/d0/many\(number % 100)"
            close(open(path, O_WRONLY | O_CREAT, 0o644))
            unlink(path)
        }
        directory.write("d7/behind")
        let (fixture, _, isResumed) = try resume(left)
        #expect(!isResumed)
        fixture.iterate(until: { fixture.watcher.state(of: 1) == .live })
        fixture.settle()
        #expect(fixture.watcher.counters.overflows == 1)
        expectEqual(fixture.tree, directory.path)
    }

    /// Missing watches cost the reading of their directories, and watches without a directory end.
    @Test func theWatchesAreChecked() throws {
        makeTree()
        let left = try begin()
        let (fixture, _, isResumed) = try resume(left)
        #expect(isResumed)
        let watches = fixture.watcher.resumedWatches
        #expect(watches.count == 41)
        let found = try #require(fixture.kernel.watches())
        fixture.watcher.check(watches: found, of: watches)
        fixture.iterate()
        fixture.settle()
        #expect(fixture.notices.contains(.watchesChecked(missing: 0, of: 41)))
        #expect(fixture.watcher.counters.directoriesRead == 0)
        // Three are gone, of which nothing is heard.
        var fewer = found
        for watch in watches.sorted().suffix(3) { fewer[watch] = nil }
        fixture.watcher.check(watches: fewer, of: watches)
        fixture.iterate()
        fixture.settle()
        #expect(fixture.notices.contains(.watchesChecked(missing: 3, of: 41)))
        #expect(fixture.watcher.counters.directoriesRead == 3)
        #expect(fixture.watcher.figures(of: 1).watches == 41)
        for number in 0..<4 { directory.write("d7/e\(number)/new") }
        fixture.settle()
        expectEqual(fixture.tree, directory.path)
    }

    /// No container goes on: the watches left of them end.
    @Test func watchesWithoutAContainerEnd() throws {
        let fixture = try resumeElsewhere()
        #expect(!fixture.watcher.replayEvents())
        #expect(fixture.watcher.resumedWatches.isEmpty)
        let found = try #require(fixture.kernel.watches())
        #expect(found.count > fixture.watcher.watchCount)
        fixture.watcher.check(watches: found, of: [])
        // Only when no thread may have been given one of them do they end, which a barrier need not wait for.
        fixture.iterate(until: { fixture.kernel.watches()?.count == fixture.watcher.watchCount })
        #expect(fixture.watcher.figures(of: 1).watches == 5)
    }

    /// The kernel is asked while directories go: their watches are gone before that is heard.
    @Test func directoriesThatGoMeanwhileAreNotMissing() throws {
        makeTree()
        let (fixture, _, isResumed) = try resume(try begin())
        #expect(isResumed)
        fixture.settle()
        let watches = fixture.watcher.resumedWatches
        run("rm", "-rf", directory.path + "/d3")
        let found = try #require(fixture.kernel.watches())
        #expect(found.count < watches.count)
        fixture.watcher.check(watches: found, of: watches)
        fixture.iterate()
        fixture.settle()
        #expect(fixture.notices.contains(.watchesChecked(missing: 0, of: 41)))
        expectEqual(fixture.tree, directory.path)
    }

    /// The container is a directory of the former one: that one's watch tells only what an ancestor's tells.
    @Test func theWatchOfADirectoryThatIsAboveNowIsNarrowed() throws {
        let fixture = try resumeElsewhere()
        fixture.settle()
        // Names that come are told, their writing and closing are not: the directory above the container holds its name. By
        // the kernel's own word, since the directories above hear of other tests too.
        let contents = UInt32(IN_MODIFY | IN_CLOSE_WRITE)
        #expect(try mask(of: directory.path + "/d1", in: fixture.kernel) & contents == contents)
        let above = try mask(of: directory.path, in: fixture.kernel)
        #expect(above & UInt32(IN_CREATE) != 0 && above & contents == 0, "\(String(above, radix: 16))")
    }

    /// The event mask of the watch on a directory (proc_pid_fdinfo(5)).
    private func mask(of path: String, in kernel: LinuxKernel) throws -> UInt32 {
        var status = stat()
        try #require(stat(path, &status) == 0)
        let file = try #require(fopen("/proc/self/fdinfo/\(kernel.descriptor)", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        while fgets(&line, 512, file) != nil {
            let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            var fields: [Substring: Substring] = [:]
            for part in text.split(separator: " ") {
                let pair = part.split(separator: ":")
                if pair.count == 2 { fields[pair[0]] = pair[1] }
            }
            guard fields["ino"] == "\(String(status.st_ino, radix: 16))" else { continue }
            return try #require(fields["mask"].flatMap { UInt32($0, radix: 16) }, "\(text)")
        }
        throw SystemError.noEntry
    }
}
