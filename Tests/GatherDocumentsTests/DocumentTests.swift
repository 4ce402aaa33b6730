// Opening, editing, saving and closing documents, without a daemon.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments
import Glibc
import Testing

struct DocumentTests {
    @Test func anEditIsOnDiskAfterClosing() async throws {
        let scratch = try Scratch()
        try scratch.write("one", to: "a.txt")
        let document = scratch.document("a.txt")
        #expect(document.state == .closed)
        try await document.open()
        #expect(document.state == [])
        #expect(try await document.contents.text == "one")
        #expect(await !document.hasUnsavedChanges)
        try await document.edit { $0.text = "two" }
        #expect(await document.hasUnsavedChanges)
        #expect(try scratch.read("a.txt") == "one")
        try await document.close()
        #expect(document.state == .closed)
        #expect(try scratch.read("a.txt") == "two")
        #expect(try scratch.names == ["a.txt"])
        await #expect(throws: DocumentError.self) { try await document.contents }
    }

    @Test func aNewDocumentNeverReplacesAFile() async throws {
        let scratch = try Scratch()
        try scratch.write("one", to: "a.txt")
        let error = await #expect(throws: DocumentError.self) {
            try await scratch.document("a.txt").create(Text("two"))
        }
        #expect(error?.code == .exists)
        #expect(try scratch.read("a.txt") == "one")
        let document = scratch.document("b.txt")
        try await document.create(Text("new"))
        #expect(try scratch.read("b.txt") == "new")
        #expect(document.state == [])
        try await document.edit { $0.text += "er" }
        try await document.save()
        #expect(try scratch.read("b.txt") == "newer")
    }

    @Test func openingAMissingFileFailsAndSaysSo() async throws {
        let scratch = try Scratch()
        let document = scratch.document("none")
        let error = await #expect(throws: DocumentError.self) { try await document.open() }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains(scratch.path + "/none") == true)
        #expect(document.state == .closed)
    }

    @Test(arguments: [
        "", "/", ".", "..", "a/..", ".syncthing.gather-a.tmp", "folder/" + String(repeating: "x", count: 218),
    ])
    func namesThatCannotBeDocumentsAreRefused(_ name: String) async throws {
        let document = Document<Text>(path: FilePath(name), options: DocumentOptions(followsChanges: false))
        let error = await #expect(throws: DocumentError.self) { try await document.create(Text("x")) }
        #expect(error?.code == .invalidName)
    }

    @Test func aDirectoryIsNoDocument() async throws {
        let scratch = try Scratch()
        mkdir(scratch.path + "/d", 0o755)
        mkfifo(scratch.path + "/pipe", 0o644)
        symlink("target", scratch.path + "/link")
        for name in ["d", "pipe", "link"] {
            let error = await #expect(throws: DocumentError.self) { try await scratch.document(name).open() }
            #expect(error?.code == .notADocument, "\(name): \(String(describing: error))")
        }
    }

    @Test func undoAndRedoKnowWhetherTheContentsAreSaved() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "0")
        #expect(try await !document.undo())
        try await document.edit("First") { $0.text = "1" }
        try await document.edit("Second") { $0.text = "2" }
        #expect(await document.undoActionName == "Second")
        #expect(try await document.undo())
        #expect(try await document.contents.text == "1")
        #expect(await (document.undoActionName, document.redoActionName) == ("First", "Second"))
        try await document.save()
        #expect(try scratch.read("a") == "1")
        try await document.redo()
        #expect(await document.hasUnsavedChanges)
        try await document.undo()
        #expect(await !document.hasUnsavedChanges)
        try await document.undo()
        #expect(try await document.contents.text == "0")
        #expect(await document.hasUnsavedChanges)
        // An edit after an undo ends what could be redone.
        try await document.edit { $0.text = "3" }
        #expect(await !document.canRedo)
        try await document.close()
        #expect(try scratch.read("a") == "3")
    }

    @Test func aGroupOfEditsIsOneStep() async throws {
        let (_, document) = try await Scratch.opened("a", containing: "")
        try await document.beginUndoGroup("Typing")
        for letter in ["a", "b"] { try await document.edit { $0.text += letter } }
        try await document.beginUndoGroup("Inner")
        try await document.edit { $0.text += "c" }
        await document.endUndoGroup()
        #expect(await !document.canUndo)
        await document.endUndoGroup()
        #expect(await document.undoActionName == "Typing")
        try await document.undo()
        #expect(try await document.contents.text == "")
        try await document.redo()
        #expect(try await document.contents.text == "abc")
        // A group without an edit is no step.
        try await document.beginUndoGroup("Empty")
        await document.endUndoGroup()
        await document.endUndoGroup()
        #expect(await document.undoActionName == "Typing")
    }

    @Test func anEditThatFailsChangesNothing() async throws {
        let (_, document) = try await Scratch.opened("a", containing: "a")
        await #expect(throws: Text.Refused.self) {
            try await document.edit { contents in
                contents.text = "b"
                throw Text.Refused()
            }
        }
        #expect(try await document.contents.text == "a")
        #expect(await !document.hasUnsavedChanges)
        #expect(await !document.canUndo)
    }

    @Test func anApplicationMayCountItsOwnChanges() async throws {
        let (_, document) = try await Scratch.opened("a", containing: "a")
        try await document.updateChangeCount(.done)
        #expect(await document.hasUnsavedChanges)
        try await document.updateChangeCount(.undone)
        #expect(await !document.hasUnsavedChanges)
        try await document.updateChangeCount(.undone)
        #expect(await document.hasUnsavedChanges)
        try await document.updateChangeCount(.done)
        // The saved state was undone, and another edit came: no redo leads back.
        #expect(await document.hasUnsavedChanges)
        try await document.updateChangeCount(.cleared)
        #expect(await !document.hasUnsavedChanges)
    }

    @Test func aChangeIsSavedByItself() async throws {
        let scratch = try Scratch()
        try scratch.write("a", to: "a")
        let document = scratch.document("a", autosave: .milliseconds(1))
        try await document.open()
        var states = document.states.makeAsyncIterator()
        #expect(await states.next() == [])
        try await document.edit { $0.text = "b" }
        #expect(await states.next() == .progressAvailable)
        #expect(await states.next() == [])
        #expect(try scratch.read("a") == "b")
    }

    @Test func revertingDropsChanges() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "a")
        try await document.edit { $0.text = "b" }
        try await document.revert()
        #expect(try await document.contents.text == "a")
        #expect(await !document.hasUnsavedChanges)
        #expect(await !document.canUndo)
        try await document.edit { $0.text = "c" }
        try await document.close(discardsChanges: true)
        #expect(try scratch.read("a") == "a")
    }

    @Test func aChangeOfAnotherProgramIsLoaded() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "a")
        var changes = document.changes.makeAsyncIterator()
        try scratch.write("other", to: "a")
        try await document.refresh()
        #expect(try await document.contents.text == "other")
        #expect(await changes.next() == .reloaded)
        // Another time of change with the same contents is none.
        let name = scratch.path + "/a"
        #expect(utimensat(AT_FDCWD, name, nil, 0) == 0)
        try await document.edit { $0.text = "mine" }
        try await document.refresh()
        #expect(document.state == [])
        try await document.save()
        #expect(try scratch.names == ["a"])
        #expect(try scratch.read("a") == "mine")
    }

    @Test func aFileThatTheApplicationRefusesLeavesTheContents() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "a")
        try scratch.write("refused", to: "a")
        let error = await #expect(throws: DocumentError.self) { try await document.refresh() }
        #expect(error?.code == .invalidContents)
        #expect(document.state == .savingError)
        #expect(try await document.contents.text == "a")
        // The next save keeps the other version.
        try await document.edit { $0.text = "b" }
        try await document.save()
        #expect(document.state == .inConflict)
        #expect(try scratch.read("a") == "b")
        #expect(
            try FileVersion.conflicts(of: FilePath(scratch.path + "/a")).map {
                String(decoding: try $0.contents(), as: UTF8.self)
            } == ["refused"])
    }

    @Test func aRemovedFileIsToldAndMadeAgainByASave() async throws {
        let (scratch, document) = try await Scratch.opened("a", containing: "a")
        var changes = document.changes.makeAsyncIterator()
        unlink(scratch.path + "/a")
        try await document.refresh()
        #expect(await changes.next() == .deleted)
        #expect(document.state == .deleted)
        try await document.save()
        #expect(try scratch.names == [])
        try await document.edit { $0.text = "b" }
        try await document.save()
        #expect(document.state == [])
        #expect(await changes.next() == .restored)
        #expect(try scratch.read("a") == "b")
    }
}
