// Saves beside other savers, full disks, and the access of saved files.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments
import Glibc
import LinuxSystem
import TestSupport
import Testing

struct SaveTests {
    private func conflicts(_ scratch: Scratch, _ name: String) throws -> [String] {
        try FileVersion.conflicts(of: FilePath(scratch.path + "/" + name)).map {
            String(decoding: try $0.contents(), as: UTF8.self)
        }
    }

    @Test func twoWhoSaveTheSameVersionKeepBoth() async throws {
        let scratch = try Scratch()
        try scratch.write("0", to: "note.txt")
        let (ana, ben) = (scratch.document("note.txt"), scratch.document("note.txt", device: "BBBBBBB"))
        try await ana.open()
        try await ben.open()
        try await ana.edit { $0.text = "ana" }
        try await ben.edit { $0.text = "ben" }
        try await ana.save()
        #expect(ana.state == [])
        var changes = ben.changes.makeAsyncIterator()
        try await ben.save()
        #expect(ben.state == .inConflict)
        #expect(try scratch.read("note.txt") == "ben")
        let versions = try FileVersion.conflicts(of: FilePath(scratch.path + "/note.txt"))
        let version = try #require(versions.first)
        #expect(versions.count == 1 && version.isConflict)
        #expect(try version.contents() == Array("ana".utf8))
        // The name has the device of the version that is current, and the attribute the author of this one.
        #expect(version.author?.text == "AAAAAAA")
        #expect(version.name?.device == "BBBBBBB")
        #expect(version.path.string.hasPrefix(scratch.path + "/note.sync-conflict-2"))
        #expect(version.path.string.hasSuffix("-BBBBBBB.txt"))
        #expect(await changes.next() == .keptConflicts(paths: [version.path]))
        #expect(try FileVersion.current(of: FilePath(scratch.path + "/note.txt"))?.author?.text == "BBBBBBB")
        #expect(try scratch.names.count == 2)
        try await ana.refresh()
        #expect(try await ana.contents.text == "ben")
        #expect(ana.state == .inConflict)
    }

    @Test func changesOfAnotherProgramBesideUnsavedOnesAreAConflict() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "0")
        try await document.edit { $0.text = "mine" }
        try scratch.write("theirs", to: "a")
        try await document.refresh()
        #expect(document.state == .inConflict)
        #expect(try await document.contents.text == "mine")
        try await document.save()
        #expect(try conflicts(scratch, "a") == ["theirs"])
        // The same contents on both sides are no conflict.
        try scratch.write("same", to: "a")
        try await document.edit { $0.text = "same" }
        try await document.save()
        #expect(try conflicts(scratch, "a") == ["theirs"])
        #expect(await !document.hasUnsavedChanges)
    }

    @Test func manyVersionsOfOneSecondHaveNamesOfTheirOwn() async throws {
        let (scratch, document) = try await Scratch.opened(".hidden", containing: "0")
        for number in 1...5 {
            try scratch.write("other \(number)", to: ".hidden")
            try await document.edit { $0.text = "mine \(number)" }
            try await document.save()
        }
        #expect(Set(try conflicts(scratch, ".hidden")) == Set((1...5).map { "other \($0)" }))
        #expect(try scratch.read(".hidden") == "mine 5")
        #expect(try scratch.names.filter { $0.hasPrefix(".sync-conflict-") && $0.hasSuffix(".hidden") }.count == 5)
    }

    @Test func aSavedFileKeepsModeAndAttributes() async throws { try await modeOwnerAndAttributesAreKept { _ in } }

    @Test(.needsRoot("owners")) func aSavedFileKeepsItsOwner() async throws {
        try await modeOwnerAndAttributesAreKept { #expect(chown($0, 12_345, 23_456) == 0) }
    }

    private func modeOwnerAndAttributesAreKept(_ prepare: (String) -> Void) async throws {
        let scratch = try Scratch()
        try scratch.write("0", to: "a")
        let path = scratch.path + "/a"
        Attributes.set("user.xdg.tags", "x,y", path)
        Attributes.set("user.gather.device", "ZZZZZZZ elsewhere", path)
        prepare(path)
        chmod(path, 0o640)
        let before = try scratch.status("a")
        let document = scratch.document("a")
        try await document.open()
        try await document.edit { $0.text = "1" }
        try await document.save()
        let after = try scratch.status("a")
        #expect((after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid))
        #expect(after.st_ino != before.st_ino && after.st_nlink == 1)
        #expect(Attributes.get("user.xdg.tags", path) == "x,y")
        #expect(Attributes.get("user.gather.device", path) == "AAAAAAA aaaaaaa")
    }

    @Test func aNewFileOfASharedFolderMayBeWrittenByItsGroup() async throws {
        try await aNewFileIsOfTheGroup { _ in }
    }

    @Test(.needsRoot("groups")) func aNewFileIsOfTheGroupOfItsFolder() async throws {
        try await aNewFileIsOfTheGroup { #expect(chown($0, .max, 23_456) == 0) }
    }

    private func aNewFileIsOfTheGroup(_ prepare: (String) -> Void) async throws {
        let scratch = try Scratch()
        prepare(scratch.path)
        chmod(scratch.path, 0o2775)
        try await scratch.document("a").create(Text("x"))
        let status = try scratch.status("a")
        #expect(status.st_mode & 0o777 == 0o664)
        #expect(try status.st_gid == scratch.status(".").st_gid)
    }

    @Test func aFileThatThisUserMayNotWriteIsNotReplaced() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "old")
        chmod(scratch.path + "/a", 0o444)
        // Root may write to any file, unless it is immutable.
        guard access(scratch.path + "/a", W_OK) != 0 else { return }
        try await document.edit { $0.text = "new" }
        let error = await #expect(throws: DocumentError.self) { try await document.save() }
        #expect(error?.code == .permissionDenied)
        #expect(try scratch.read("a") == "old")
    }

    @Test func aFullDiskLeavesTheFileWholeAndTheSaveIsTriedAgain() async throws {
        let scratch = try Scratch()
        guard mount("none", scratch.path, "tmpfs", 0, "size=256k") == 0 else { return }
        defer { umount2(scratch.path, CInt(MNT_DETACH)) }
        try scratch.write("old", to: "a")
        let document = scratch.document("a", autosave: .milliseconds(20))
        try await document.open()
        try scratch.write(String(repeating: "x", count: 200_000), to: "filler")
        let text = String(repeating: "y", count: 100_000)
        var states = document.states.makeAsyncIterator()
        try await document.edit { $0.text = text }
        while let state = await states.next(), !state.contains(.savingError) {}
        #expect(await document.savingError?.code == .noSpace)
        #expect(try scratch.read("a") == "old")
        #expect(try scratch.names == ["a", "filler"])
        #expect(await document.hasUnsavedChanges)
        unlink(scratch.path + "/filler")
        while let state = await states.next(), state != [] {}
        #expect(try scratch.read("a") == text)
        #expect(await document.savingError == nil)
        try await document.close()
    }

    @Test func aVanishedFolderIsASavingErrorUntilItIsBack() async throws {
        let scratch = try Scratch()
        mkdir(scratch.path + "/d", 0o755)
        try scratch.write("old", to: "d/a")
        let document = scratch.document("d/a", autosave: .milliseconds(20))
        try await document.open()
        #expect(rename(scratch.path + "/d", scratch.path + "/away") == 0)
        var states = document.states.makeAsyncIterator()
        try await document.edit { $0.text = "new" }
        while let state = await states.next(), !state.contains(.savingError) {}
        #expect(await document.savingError?.code == .notFound)
        #expect(try scratch.read("away/a") == "old")
        #expect(rename(scratch.path + "/away", scratch.path + "/d") == 0)
        while let state = await states.next(), state != [] {}
        #expect(try scratch.read("d/a") == "new")
    }

    @Test func whileAnotherProcessHasTheLockEditingIsDisabled() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "old")
        try await document.edit { $0.text = "new" }
        var lock: FolderLock? = try FolderLock(scratch.path)
        #expect(try lock?.attempt() == true)
        var states = document.states.makeAsyncIterator()
        #expect(await states.next() == [])
        async let saved: Void = document.save()
        while let state = await states.next(), !state.contains(.editingDisabled) {}
        #expect(try scratch.read("a") == "old")
        lock = nil
        while let state = await states.next(), state != [] {}
        try await saved
        #expect(try scratch.read("a") == "new")
    }

    /// Where only the folder itself can be locked, any user who may read it can do that.
    @Test(arguments: [false, true]) func aReaderWhoLocksTheFolderStopsNoSave(hasLockFile: Bool) async throws {
        let scratch = try Scratch()
        try scratch.write("old", to: "a")
        if !hasLockFile { mkdir(scratch.path + "/" + DirectoryLockFile.name, 0o700) }
        let reader = ChildProcess(
            path: "/usr/bin/flock", [scratch.path, "/bin/sh", "-c", "echo locked; cat"], input: nil)
        defer { reader.kill(SIGKILL) }
        try #require(await reader.nextLine() == "locked")
        let document = Document<Text>(
            path: FilePath(scratch.path + "/a"),
            options: DocumentOptions(
                lockTimeout: hasLockFile ? Patience.duration : .milliseconds(5), followsChanges: false))
        try await document.open()
        try await document.edit { $0.text = "new" }
        // The save compares, so that it loses nothing.
        try scratch.write("of another program", to: "a")
        try await document.close()
        #expect(try scratch.read("a") == "new")
        #expect(try conflicts(scratch, "a") == ["of another program"])
    }

    @Test func aLockThatIsNotLetGoIsAnError() async throws {
        let scratch = try Scratch()
        try scratch.write("old", to: "a")
        let document = Document<Text>(
            path: FilePath(scratch.path + "/a"),
            options: DocumentOptions(lockTimeout: .milliseconds(5), followsChanges: false))
        try await document.open()
        let lock = try FolderLock(scratch.path)
        defer { withExtendedLifetime(lock) {} }
        #expect(try lock.attempt())
        try await document.edit { $0.text = "new" }
        let error = await #expect(throws: DocumentError.self) { try await document.close() }
        #expect(error?.code == .locked)
        #expect(document.state == .savingError)
        #expect(try await document.contents.text == "new")
        #expect(try scratch.read("a") == "old")
    }

    @Test func contentsThatCannotBeWrittenAreASavingError() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "old")
        try await document.edit { $0.text = "unsaved" }
        let error = await #expect(throws: DocumentError.self) { try await document.save() }
        #expect(error?.code == .invalidContents)
        #expect(try scratch.read("a") == "old")
        try await document.undo()
        try await document.edit { $0.text = "good" }
        try await document.save()
        #expect(document.state == [])
    }

    @Test func aSaveWithinAStepOfTheClockIsNoticed() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "AAAA")
        // The same size and the same time of change, as if both were written within a step of the kernel's clock.
        let before = try scratch.status("a")
        let file = open(scratch.path + "/a", O_WRONLY)
        #expect(pwrite(file, "BBBB", 4, 0) == 4)
        var times = [before.st_atim, before.st_mtim]
        #expect(futimens(file, &times) == 0)
        close(file)
        try await document.edit { $0.text = "mine" }
        try await document.save()
        #expect(try conflicts(scratch, "a") == ["BBBB"])
    }

    @Test func anEditDuringClosingIsSaved() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "old")
        try await document.edit { $0.text = "first" }
        var lock: FolderLock? = try FolderLock(scratch.path)
        #expect(try lock?.attempt() == true)
        var states = document.states.makeAsyncIterator()
        async let closed: Void = document.close()
        while let state = await states.next(), !state.contains(.editingDisabled) {}
        try await document.edit { $0.text += " and second" }
        lock = nil
        try await closed
        #expect(try scratch.read("a") == "first and second")
    }

    @Test func aDocumentWithoutAReferenceIsSaved() async throws {
        let scratch = try Scratch()
        try scratch.write("old", to: "a")
        var states = try await {
            let document = scratch.document("a", autosave: .milliseconds(20))
            try await document.open()
            try await document.edit { $0.text = "new" }
            return document.states
        }().makeAsyncIterator()
        // The sequence ends with the document.
        while await states.next() != nil {}
        #expect(try scratch.read("a") == "new")
    }

    @Test func aConflictThatIsOverIsNoConflict() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "old")
        try await document.edit { $0.text = "mine" }
        try scratch.write("theirs", to: "a")
        try await document.refresh()
        #expect(document.state == .inConflict)
        try await document.undo()
        try await document.refresh()
        #expect(try await document.contents.text == "theirs")
        #expect(document.state == [])
        // The other program takes its change back.
        try await document.edit { $0.text = "mine" }
        try scratch.write("other", to: "a")
        try await document.refresh()
        #expect(document.state == .inConflict)
        try scratch.write("theirs", to: "a")
        try await document.refresh()
        #expect(document.state == [])
    }

    @Test func aSaveThatFailsLeavesNothingBehind() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "old")
        let path = scratch.path + "/a"
        // A file that something is mounted on cannot be exchanged.
        guard mount(path, path, nil, UInt(MS_BIND), nil) == 0 else { return }
        try await document.edit { $0.text = "new" }
        for _ in 0..<2 { await #expect(throws: DocumentError.self) { try await document.save() } }
        #expect(umount2(path, CInt(MNT_DETACH)) == 0)
        #expect(try scratch.names == ["a"])
        try await document.save()
        #expect(try scratch.read("a") == "new")
        #expect(document.state == [])
    }

    @Test(arguments: ["a.sync-conflict-20260101-000000-ABCDEFG", "a.sync-conflict-20260101-000000-ABCDEFG.txt"])
    func aConflictVersionIsNoDocument(_ name: String) async throws {
        let scratch = try Scratch()
        try scratch.write("x", to: name)
        let error = await #expect(throws: DocumentError.self) { try await scratch.document(name).open() }
        #expect(error?.code == .invalidName)
        #expect(FileVersion.author(of: FilePath(scratch.path + "/" + name)) == nil)
    }

    @Test func versionsThatCannotBeReadAreStillListed() async throws {
        let scratch = try Scratch()
        try scratch.write("0", to: "a")
        try scratch.write("1", to: "a.sync-conflict-20260101-000001-ABCDEFG")
        symlink("x", scratch.path + "/a.sync-conflict-20260101-000002-ABCDEFG")
        mkdir(scratch.path + "/a.sync-conflict-20260101-000003-ABCDEFG", 0o755)
        #expect(try conflicts(scratch, "a") == ["1"])
    }

    @Test func aVersionThatChangedSinceItWasListedIsNotDropped() async throws {
        let scratch = try Scratch()
        try scratch.write("0", to: "a")
        try scratch.write("1", to: "a.sync-conflict-20260101-000001-ABCDEFG")
        let version = try #require(try FileVersion.conflicts(of: FilePath(scratch.path + "/a")).first)
        try scratch.write("unseen", to: "a.sync-conflict-20260101-000001-ABCDEFG")
        #expect(throws: DocumentError.self) { try version.remove() }
        #expect(throws: DocumentError.self) { try version.replaceCurrent() }
        #expect(throws: DocumentError.self) { try version.move(to: Trash(container: FilePath(scratch.path))) }
        #expect(try conflicts(scratch, "a") == ["unseen"])
    }

    @Test func theTrashIsAsPrivateAsTheFolder() async throws {
        let scratch = try Scratch()
        chmod(scratch.path, 0o755)
        mkdir(scratch.path + "/private", 0o700)
        try scratch.write("x", to: "private/a")
        let item = try Trash(container: FilePath(scratch.path)).move(FilePath(scratch.path + "/private/a"))
        let path = item.path.string.dropFirst(scratch.path.count + 1)
        #expect(path.hasPrefix(".gather/trash/2") && path.hasSuffix("/private/a"))
        #expect(try scratch.status(String(path.dropLast(2))).st_mode & 0o777 == 0o700)
        #expect(try scratch.status(".gather").st_mode & 0o777 == 0o755)
    }

    // MARK: Versions

    @Test func aVersionBecomesTheCurrentOne() async throws {
        let scratch = try Scratch()
        try scratch.write("0", to: "a.txt")
        try scratch.write("1", to: "a.sync-conflict-20260101-000000-ABCDEFG.txt")
        Attributes.set("user.xdg.tags", "x", scratch.path + "/a.txt")
        let version = try #require(try FileVersion.conflicts(of: FilePath(scratch.path + "/a.txt")).first)
        try version.replaceCurrent()
        #expect(try scratch.read("a.txt") == "1")
        #expect(Attributes.get("user.xdg.tags", scratch.path + "/a.txt") == "x")
        #expect(try conflicts(scratch, "a.txt") == ["0"])
        try #require(try FileVersion.conflicts(of: FilePath(scratch.path + "/a.txt")).first).replaceCurrent(
            keepingFormer: .removed)
        #expect(try scratch.read("a.txt") == "0")
        #expect(try scratch.names == ["a.txt"])
        #expect(throws: DocumentError.self) { try version.remove() }
        let current = try #require(try FileVersion.current(of: FilePath(scratch.path + "/a.txt")))
        #expect(throws: DocumentError.self) { try current.remove() }
        #expect(throws: DocumentError.self) { try current.replaceCurrent() }
    }

    @Test func versionsAreListedByContentsTheNewestFirst() async throws {
        let scratch = try Scratch()
        try scratch.write("0", to: "a")
        for (number, (text, time)) in [("1", 100), ("2", 300), ("2", 200), ("0", 50)].enumerated() {
            let name = "a.sync-conflict-20260101-00000\(number)-ABCDEFG"
            try scratch.write(text, to: name)
            var times = [timespec(tv_sec: time, tv_nsec: 0), timespec(tv_sec: time, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, scratch.path + "/" + name, &times, 0) == 0)
        }
        try scratch.write("no version", to: "b.sync-conflict-20260101-000000-ABCDEFG")
        #expect(try conflicts(scratch, "a") == ["2", "1", "0"])
        let removed = try FileVersion.removeIdentical(of: FilePath(scratch.path + "/a"))
        #expect(removed.count == 2)
        #expect(try conflicts(scratch, "a") == ["2", "1"])
        let kept = try #require(try FileVersion.conflicts(of: FilePath(scratch.path + "/a")).first).keepAsFile()
        #expect(kept.string == scratch.path + "/a (2026-01-01 00.00.01 ABCDEFG)")
        #expect(try conflicts(scratch, "a") == ["1"])
        #expect(try scratch.read("a (2026-01-01 00.00.01 ABCDEFG)") == "2")
    }
}
