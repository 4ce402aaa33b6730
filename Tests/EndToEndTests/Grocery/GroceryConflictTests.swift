// Conflicts of a grocery list on the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct GroceryConflictTests {
    @Test func `An item whose own file is gone is told, and can be resolved`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "2 l Milk", "Bread")
        let file = try world.file("Milk")
        let versions = ["20261125-003609-KIHKRYN", "20261125-003609-KIHKRYN.sync-conflict-20261126-003609-KIHKRYN"]
        try FileManager.default.copyItem(atPath: file, toPath: file + ".sync-conflict-" + versions[0])
        try Data("Oat milk\n".utf8).write(to: URL(filePath: file + ".sync-conflict-" + versions[1]))
        let past = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, file + ".sync-conflict-" + versions[0], [past, past], 0) == 0)
        unlink(file)
        #expect(await world.list("--group", "none") == ["Bread"])
        let told = await world.run("conflicts")
        #expect(told.lines.count == 1 && told.text.contains("(2 versions; its own file is gone)"), "\(told)")
        #expect(told.text.contains("Oat milk"))
        #expect(await world.run("resolve", "Oat milk").status == 0)
        let resolved = await world.run("resolve", "Oat milk", "--keep", "2")
        #expect(resolved.status == 0, "\(resolved)")
        #expect(await world.list("--group", "none") == ["Bread", "Milk, 2 l"])
        #expect(await world.run("conflicts").text == "")
        #expect(try world.file("Milk") == file)
        // A version in the trash, and a directory with the name of one, are none.
        try FileManager.default.createDirectory(
            atPath: file + ".sync-conflict-20261127-003609-KIHKRYN", withIntermediateDirectories: true)
        #expect(await world.run("conflicts").text == "")
        #expect(await world.run("undo").status == 0)
        #expect(await world.run("conflicts").lines.count == 1)
    }

    /// Another user's copy with the mode 0600 has no original.
    @Test func `A lost copy that cannot be read keeps no other conflict from its user`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Milk", "Bread", "Oats")
        let copy = ".sync-conflict-20261125-003609-KIHKRYN"
        let (bread, oats) = (try world.file("Bread"), try world.file("Oats"))
        try FileManager.default.moveItem(atPath: bread, toPath: bread + copy)
        try FileManager.default.moveItem(atPath: oats, toPath: oats + copy)
        try Data("Cream\n".utf8).write(to: URL(filePath: world.file("Milk") + copy))
        try Change.chmod(bread + copy, 0)
        defer { chmod(bread + copy, 0o600) }
        let told = await world.run("conflicts")
        #expect(told.status == 1 && told.errors.contains("(unreadable)"), "\(told)")
        #expect(told.lines.count == 2 && told.text.contains("Milk") && told.text.contains("Oats"), "\(told)")
        #expect(await world.run("resolve", "Milk", "--keep", "1").status == 0)
        #expect(await world.run("resolve", "Oats", "--keep", "1").status == 0)
        let refused = await world.run("resolve", "(unreadable)")
        #expect(refused.status == 1 && refused.errors.contains("Permission denied"), "\(refused)")
        #expect(await world.list("--group", "none") == ["Milk", "Oats"])
    }

    @Test func `A conflict is shown and resolved in each way, and the other versions can be brought back`() async throws
    {
        let world = try await EditingWorld()
        _ = await world.run("add", "2 kg Flour #market", "--note", "one")
        let file = try world.file("Flour")
        let version = file + ".sync-conflict-20261125-120000-ABCDEFG"
        let other = "Flour\nquantity: 5 kg\ntags: aldi\n\ntwo\n"
        try Change.write(other, to: version)
        let shown = await world.run("resolve", "flour")
        #expect(shown.text.contains("* quantity  2 kg                          5 kg\n"), "\(shown.text)")
        #expect(shown.text.contains("ABCDEFG"))
        let unsure = await world.run("resolve", "flour", "--keep", "merged")
        #expect(unsure.errors.contains("differ in quantity") && unsure.status == 1, "\(unsure.errors)")
        #expect(await world.run("resolve", "flour", "--keep", "3").status == 64)
        for (arguments, list) in [
            (["merged", "--take", "quantity=2"], ["Flour, 5 kg  [market, aldi]"]), (["2"], ["Flour, 5 kg  [aldi]"]),
            (["current"], ["Flour, 2 kg  [market]"]), (["both"], ["Flour, 5 kg  [aldi]", "Flour, 2 kg  [market]"]),
        ] {
            let resolved = await world.run(["resolve", file.suffix(36).description, "--keep"] + arguments)
            #expect(resolved.status == 0, "\(arguments): \(resolved.errors)")
            #expect(await world.list() == list, "\(arguments)")
            #expect(await world.run("conflicts").text == "")
            #expect(await world.run("undo").status == 0)
            #expect(try String(contentsOfFile: version, encoding: .utf8) == other, "\(arguments)")
            // The former current version is in the trash, too, where another replaced it.
            if arguments != ["current"], arguments != ["both"] {
                let trash = world.daemon.box + "/.gather/trash"
                let texts = (FileManager.default.enumerator(atPath: trash)?.allObjects ?? []).compactMap {
                    try? String(contentsOfFile: "\(trash)/\($0)", encoding: .utf8)
                }
                #expect(texts.contains("Flour\nquantity: 2 kg\ntags: market\n\none\n"), "\(arguments)")
            }
            #expect(await world.list() == ["Flour, 2 kg  [market]"])
        }
    }
}
