// Documents beside the files of saves that were killed.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments
import Glibc
import LinuxSystem
import TestSupport
import Testing

struct DocumentRecoveryTests {
    private func conflicts(_ scratch: Scratch, _ name: String) throws -> [String] {
        try FileVersion.conflicts(of: FilePath(scratch.path + "/" + name)).map {
            String(decoding: try $0.contents(), as: UTF8.self)
        }
    }

    @Test func aVersionThatAKilledSaveLeftIsKept() async throws {
        let scratch = try Scratch()
        try scratch.write("current", to: "a.txt")
        try scratch.write("left", to: ".syncthing.gather-a.txt.tmp")
        let document = scratch.document("a.txt")
        try await document.open()
        #expect(document.state == .inConflict)
        #expect(try await document.contents.text == "current")
        #expect(try conflicts(scratch, "a.txt") == ["left"])
        #expect(try scratch.names.count == 2)
        // Contents that are there already are not kept twice.
        for left in ["current", "left"] {
            try scratch.write(left, to: ".syncthing.gather-a.txt.tmp")
            try await document.edit { $0.text += "+" }
            try await document.save()
            try scratch.write("current", to: "a.txt")
            try await document.refresh()
        }
        #expect(try conflicts(scratch, "a.txt") == ["left"])
    }

    @Test func aDocumentWhoseFirstSaveWasKilledIsThere() async throws {
        let scratch = try Scratch()
        try scratch.write("left", to: ".syncthing.gather-a.tmp")
        let document = scratch.document("a")
        try await document.open()
        #expect(try await document.contents.text == "left")
        #expect(try scratch.names == ["a"])
    }

    /// The file of a killed save stopped a user who could only read the folder from opening the document.
    @Test func aUserWhoMayOnlyReadOpensADocumentBesideAKilledSave() async throws {
        let scratch = try Scratch()
        try scratch.write("current", to: "a")
        try scratch.write("left", to: ".syncthing.gather-a.tmp")
        chmod(scratch.path, 0o555)
        defer { chmod(scratch.path, 0o755) }
        // Root may write to any folder.
        guard access(scratch.path, W_OK) != 0 else { return }
        let document = scratch.document("a")
        try await document.open()
        #expect(try await document.contents.text == "current")
        #expect(try scratch.names == [".syncthing.gather-a.tmp", "a"])
        // Saving has the error, and the file stays.
        try await document.edit { $0.text = "new" }
        await #expect(throws: DocumentError.self) { try await document.save() }
        chmod(scratch.path, 0o755)
        try await document.save()
        #expect(try scratch.read("a") == "new")
        #expect(try conflicts(scratch, "a") == ["left"])
    }
}
