// Saves that are killed after each of their system calls.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import Metadata
import TestSupport
import Testing

@testable import SaveFiles

@Suite(.enabled(if: KilledSave.isPossible)) struct KilledSaveTests {
    /// A save, the files before it, and the contents that the document may have afterwards.
    struct Case: Sendable, CustomTestStringConvertible {
        let kind: String
        var before: [String: String] = [:]
        let document: Set<String?>
        /// Contents that are there in any case: those that the save does not replace.
        let kept: Set<String>
        var refusals: [RefusedCalls.Refusal] = []

        var testDescription: String { refusals.isEmpty ? kind : "\(kind), refused calls" }
    }

    private static let version = "a.sync-conflict-20260101-000000-BBBBBBB.txt"
    private static let left = ".syncthing.gather-a.txt.tmp"

    private static let cases: [Case] = [
        Case(kind: "first", document: [nil, "new"], kept: []),
        Case(kind: "over", before: ["a.txt": "old"], document: ["old", "new"], kept: []),
        Case(
            kind: "replace-current", before: ["a.txt": "old", version: "other"], document: ["old", "other"],
            kept: ["old", "other"]),
        Case(kind: "add", before: ["a.txt": "old"], document: ["old"], kept: ["old"]),
        Case(kind: "complete", before: ["a.txt": "old", left: "left"], document: ["old"], kept: ["old", "left"]),
        Case(kind: "complete", before: [left: "left"], document: ["left"], kept: ["left"]),
        Case(
            kind: "complete", before: ["a.txt": "old", version: "left", left: "left"], document: ["old"],
            kept: ["old", "left"]),
        Case(kind: "replace", before: ["a.txt": "old"], document: ["old", "new"], kept: []),
    ]

    /// The same on a file system that locks no folders, exchanges nothing, and has no files without names.
    private static let refused = cases.map {
        var copy = $0
        copy.refusals = RefusedCalls.ofFileSystems + [.init("linkat", 95)]
        return copy
    }

    /// Each version that the save does not replace is there once, whole, and the document is the old one or the new one.
    @Test(arguments: cases + refused) func noVersionIsLost(_ save: Case) async throws {
        var calls: [String] = []
        while true {
            let folder = try TestFolder()
            for (name, text) in save.before { try folder.write(text, name) }
            let call = try await KilledSave.run(
                save.kind, in: folder.path, step: calls.count + 1, refusing: save.refusals)
            let found = try folder.contents
            let step = "step \(calls.count + 1), \(call ?? "the end"), left \(found)"
            // A program that opens the document completes the save, and so does the helper.
            let outcome = try LeftSave.attempt(
                Array("a.txt".utf8), inFolder: Array(folder.path.utf8), device: "CCCCCCC")
            #expect(outcome != nil, "\(step)")
            var files = try folder.contents
            // Files that are being written stand for nothing: the next save of the same name removes them.
            for name in files.keys where SyncthingName.isTemporary(name.utf8) || name == "a.new" {
                #expect(name != Self.left, "\(step)")
                files[name] = nil
            }
            #expect(save.document.contains(files["a.txt"]), "\(step): \(files)")
            #expect(save.kept.isSubset(of: files.values), "\(step): \(files)")
            let allowed = Set(save.before.values).union(["new"])
            #expect(allowed.isSuperset(of: files.values), "\(step): \(files)")
            #expect(
                files.keys.allSatisfy { $0 == "a.txt" || ConflictName($0)?.original == Array("a.txt".utf8) },
                "\(step): \(files)")
            if save.kind == "complete" { #expect(files.count == Set(files.values).count, "\(step): \(files)") }
            guard let call else { break }
            calls.append(call)
            // The next program completes nothing more.
            let again = try LeftSave.attempt(
                Array("a.txt".utf8), inFolder: Array(folder.path.utf8), device: "CCCCCCC")
            #expect(again == LeftSave.Outcome.none)
        }
        // The steps are those of a save, and not of a program that did nothing.
        #expect(calls.contains { ["renameat2", "linkat", "unlinkat"].contains($0) }, "\(calls)")
    }
}
