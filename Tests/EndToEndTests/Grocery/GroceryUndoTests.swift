// Undoing changes of a grocery list on the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct GroceryUndoTests {
    @Test func `Bought items come last, and each change can be undone`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Bread", "Milk", "Tea")
        _ = await world.run("buy", "bread", "milk")
        #expect(await world.run("list").lines.map { $0.prefix(1) } == [" ", "x", "x"])
        _ = await world.run("unbuy", "bread")
        _ = await world.run("rename", "tea", "Green tea")
        _ = await world.run("remove", "milk")
        let undone = [
            "undone: remove Milk", "undone: rename Tea", "undone: unbuy Bread", "undone: buy Bread, Milk",
            "undone: add 3 items",
        ]
        let lists = [
            ["Bread", "Green tea", "Milk"], ["Bread", "Tea", "Milk"], ["Tea", "Bread", "Milk"],
            ["Bread", "Milk", "Tea"], [],
        ]
        for (text, list) in zip(undone, lists) {
            #expect(await world.run("undo").lines == [text])
            #expect(await world.list() == list, "\(text)")
        }
        let nothing = await world.run("undo")
        #expect(nothing.status == 1 && nothing.errors == "grocery: there is nothing to undo\n")
    }

    @Test func `Undoing keeps the changes of others, and refuses where they changed the same`() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Milk")
        _ = await world.run("rename", "milk", "Oat milk")
        let file = try world.file("Oat milk")
        try Change.write("Oat milk\nquantity: 2 l\n", to: file)
        #expect(await world.run("undo").status == 0)
        #expect(await world.list() == ["Milk, 2 l"])
        _ = await world.run("rename", "milk", "Oat milk")
        try Change.write("Soy milk\nquantity: 2 l\n", to: file)
        let refused = await world.run("undo")
        #expect(refused.status == 1)
        #expect(
            refused.errors
                == "grocery: cannot undo 'rename Milk': Oat milk was changed again since. The next undo takes the change before it\n"
        )
        #expect(await world.list() == ["Soy milk, 2 l"])
        // It does not block the change before it.
        #expect(await world.run("undo").errors.contains("cannot undo 'add Milk': Milk was changed since"))
        #expect(await world.run("undo").errors == "grocery: there is nothing to undo\n")
    }

    @Test func anImpossibleStepIsLeftOut() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Bread", "Milk", "Tea")
        _ = await world.run("buy", "bread", "milk", "tea")
        try Change.remove(try world.file("Milk"))
        #expect(await world.run("undo", "--changes").lines == ["buy Bread, Milk, Tea", "add 3 items"])
        let partly = await world.run("undo")
        #expect(partly.status == 1 && partly.text == "undone: buy Bread, Milk, Tea\n")
        #expect(partly.errors == "grocery: not undone: Milk is gone\n")
        #expect(try world.files().values.sorted() == ["Bread\n", "Tea\n"])
        try Change.write("Green tea\n", to: try world.file("Tea"))
        let rest = await world.run("undo")
        #expect(rest.errors == "grocery: not undone: Tea was changed since; Milk is gone\n")
        #expect(await world.list() == ["Green tea"])
        #expect(await world.run("undo").errors == "grocery: there is nothing to undo\n")
    }

    @Test(arguments: ["not UTF-8", "a directory", "a link", "closed"])
    func anItemThatCannotBeReadBlocksNoEarlierChange(kind: String) async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Bread")
        _ = await world.run("add", "Eggs")
        let file = try world.file("Eggs")
        switch kind {
        case "not UTF-8": try Data([0x45, 0xFF, 0x0A]).write(to: URL(filePath: file))
        case "closed": try Change.chmod(file, 0)
        default:
            try Change.remove(file)
            if kind == "a link" { try Change.symlink("/etc/hostname", file) } else { try Change.directory(file) }
        }
        // Root may read everything.
        if kind != "closed" || geteuid() != 0 {
            let refused = await world.run("undo")
            #expect(refused.status == 1 && refused.errors.contains("cannot undo 'add Eggs'"), "\(refused.errors)")
        }
        #expect(await world.run("undo").text == "undone: add Bread\n")
    }

    @Test func programsThatRecordAtOnceLoseNoChange() async throws {
        let world = try await EditingWorld()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<12 { group.addTask { _ = await world.run("add", "Item \(number)") } }
        }
        #expect(await world.run("undo", "--changes").lines.count == 12)
        await withTaskGroup(of: Int32.self) { group in
            for _ in 0..<4 { group.addTask { await world.run("undo").status } }
            for await status in group { #expect(status == 0 || status == 1) }
        }
        let left = await world.run("undo", "--changes").lines.count
        #expect(try world.files().count == left)
    }

    @Test func anEmptyDirectoryInPlaceOfTheListForgetsNoChange() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Milk")
        try FileManager.default.moveItem(atPath: world.daemon.box, toPath: world.daemon.box + ".away")
        // As a disk leaves it that is not mounted.
        mkdir(world.daemon.box, 0o755)
        #expect(await world.run("undo").status == 3)
        rmdir(world.daemon.box)
        try FileManager.default.moveItem(atPath: world.daemon.box + ".away", toPath: world.daemon.box)
        #expect(await world.run("undo").text == "undone: add Milk\n")
    }

    @Test func additionsAreUndoneAsTheFileGivesThemBack() async throws {
        let world = try await EditingWorld()
        let items = ##"[{"name":"Rice","quantity":" 2 kg","note":"a\r\nb"}]"##
        #expect(await world.run(["import"], input: items).status == 0)
        #expect(try world.files().values.sorted() == ["Rice\nquantity: 2 kg\n\na\nb\n"])
        #expect(await world.run("undo").text == "undone: add Rice\n")
        #expect(try world.files() == [:])
    }

    @Test func aFileKeepsItsLineEnds() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Milk")
        let file = try world.file("Milk")
        try Change.write("Milk\r\ntags: a\r\n\r\none\r\ntwo\r\n", to: file)
        #expect(await world.run("buy", "milk").status == 0)
        let bought = "Milk\r\nbought: yes\r\ntags: a\r\n\r\none\r\ntwo\r\n"
        #expect(try world.files().values.sorted() == [bought])
        #expect(await world.run("edit", "milk", editor: "sed -i s/two/three/").status == 0)
        #expect(try world.files().values.sorted() == [bought.replacing("two", with: "three")])
        #expect(await world.run("undo").status == 0)
        #expect(await world.run("undo").status == 0)
        #expect(try world.files().values.sorted() == [bought.replacing("bought: yes\r\n", with: "")])
    }

    @Test func aChangeThatCannotBeTakenBackNowStaysInTheLog() async throws {
        let world = try await EditingWorld()
        _ = await world.run("add", "Milk")
        try FileManager.default.moveItem(atPath: world.daemon.box, toPath: world.daemon.box + ".away")
        #expect(await world.run("undo").status != 0)
        try FileManager.default.moveItem(atPath: world.daemon.box + ".away", toPath: world.daemon.box)
        #expect(await world.run("undo").text == "undone: add Milk\n")
    }
}
