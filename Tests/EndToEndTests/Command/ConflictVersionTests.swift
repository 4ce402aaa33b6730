// Conflict versions through the real programs: found, shown, watched, and the same after the daemon was killed.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct ConflictVersionTests {
    @Test func `A file in conflict is found, shown and watched, after a kill of the daemon too`() async throws {
        let daemon = try await TestDaemon()
        let note = daemon.box + "/note.txt"
        let first = daemon.box + "/note.sync-conflict-20261107-120509-ABCDEFG.txt"
        let second = daemon.box + "/note.sync-conflict-20261125-120509-2345672.txt"
        func found(_ predicate: String, _ attributes: String = "path") async -> [String] {
            await daemon.gather("find", predicate, "--attributes", attributes, "--sort", "path").lines
        }
        try Change.write("1", to: first)
        #expect(await found("hasUnresolvedConflicts == TRUE") == [])
        #expect(await found("isConflictVersion == TRUE", "conflictOf") == [note])

        let watch = ChildProcess(
            .gather, ["watch", "hasUnresolvedConflicts == TRUE", "--socket", daemon.socket.path])
        // The directory's own name is no conflict, so the answer begins empty: the first line is of the file.
        try Change.write("2", to: note)
        #expect(await watch.nextLine()?.hasSuffix(" " + note) == true)
        try Change.write("3", to: second)
        #expect(await found("conflictVersions == 2") == [note])
        #expect(await found("NOT isConflictVersion == TRUE") == [note])
        let shown = await daemon.gather(
            "show", second, "--attributes", "conflictDevice,conflictOf,hasUnresolvedConflicts")
        #expect(
            shown.lines == [
                #"conflictDevice         = "2345672""#, #"conflictOf             = "\#(note)""#,
                "hasUnresolvedConflicts = 0",
            ], "\(shown.errors)")
        let embedded = await ChildProcess(
            .gather, ["find", "hasUnresolvedConflicts == TRUE", "--embedded", "--in", daemon.box]
        ).result()
        #expect(embedded.lines == [note], "\(embedded.errors)")

        try await daemon.untilSaved()
        await daemon.kill()
        try Change.remove(second)
        try await daemon.restart()
        #expect(await found("conflictVersions == 1") == [note])
        try Change.remove(first)
        #expect(await found("hasUnresolvedConflicts == TRUE") == [])
        while let line = await watch.nextLine(), line != "- \(note)" { #expect(line == "~ \(note)") }
        watch.kill(SIGINT)
        #expect(await watch.result().status == 130)
    }
}
