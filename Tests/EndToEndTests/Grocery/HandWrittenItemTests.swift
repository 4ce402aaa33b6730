// Files of items that people write, and those that cannot be read, on the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct HandWrittenItemTests {
    private func bytes(_ file: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file))) }

    @Test(arguments: [
        "Milk\nbought: no\ntags: b,a\nquantity:  2 l\n\n\ncold\n", "\u{FEFF}Milk\r\ntags: a\r\n\r\ncold\r\n", "Milk",
    ])
    func buyingAndTheOppositeLeaveAFileAsItWas(_ text: String) async throws {
        let world = try await GroceryWorld()
        let file = try world.write(text)
        #expect(await world.run("buy", "milk").text == "Milk is bought\n")
        #expect(await world.run("list").lines.first?.hasPrefix("x ") == true)
        #expect(await world.run("unbuy", "milk").text == "Milk is not bought\n")
        #expect(try bytes(file) == Array(text.utf8))
        // So does a change that is undone.
        #expect(await world.run("rename", "milk", "Oat milk").status == 0)
        #expect(await world.run("undo").status == 0)
        #expect(try bytes(file) == Array(text.utf8))
    }

    @Test func aByteOrderMarkIsNoPartOfAnImportedName() async throws {
        let world = try await GroceryWorld()
        let files = [
            ("a.txt", "\u{FEFF}Milk @a\r\nTea\r\n"), ("b.csv", "\u{FEFF}name,quantity\r\nRice,1\r\n"),
            ("c.json", "\u{FEFF}[{\"name\":\"Salt\"}]\r\n"), ("d.md", "\u{FEFF}- [ ] Soap\r\n"),
        ]
        for (name, text) in files {
            let path = world.daemon.directory + "/" + name
            try Change.write(text, to: path)
            #expect(await world.run("import", path).status == 0)
        }
        #expect(await world.list("--group", "none") == ["Milk  [a]", "Rice, 1", "Salt", "Soap", "Tea"])
    }

    @Test func anItemWithoutANameIsShownAndCanGetOne() async throws {
        let world = try await GroceryWorld()
        let file = try world.write("")
        #expect(await world.list() == ["(no name)"])
        #expect(await world.run("buy", "(no name)").text == "(no name) is bought\n")
        #expect(try bytes(file) == Array("\nbought: yes".utf8))
        #expect(await world.run("list", "--json").text.contains(#""name":"(no name)""#))
        for name in ["", " ", "\t"] {
            #expect(await world.run("rename", "(no name)", name).status == 64)
            #expect(await world.run("add", name).status == 64)
        }
        #expect(await world.run("rename", "(no name)", "Milk").status == 0)
        #expect(await world.list() == ["Milk"])
        #expect(await world.run("undo").status == 0)
        #expect(await world.list() == ["(no name)"])
    }

    @Test func aSpellingOfATagIsThatOfTheFirst() async throws {
        let world = try await GroceryWorld()
        _ = await world.run("add", "Milk #Aldi")
        _ = await world.run("add", "Bread #aldi", "Tea #Rewe")
        _ = await world.run("tag", "tea", "ALDI")
        _ = await world.run("unbuy", "milk")
        #expect(await world.run("tags").lines == ["3  Aldi", "1  Rewe"])
        #expect(await world.list("--tag", "aLDI", "--group", "none").count == 3)
        let first = world.terminal("list")
        await first.until("Rewe")
        #expect(await first.status() == 0)
        let shown = first.screen.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(shown.filter { $0.lowercased() == "aldi" } == ["Aldi"], "\(shown)")
        #expect(await world.run("untag", "bread", "ALDI").status == 0)
        #expect(await world.run("tags").lines == ["2  Aldi", "1  Rewe"])
    }

    /// The others are given, and the bad one is named.
    @Test(arguments: ["not UTF-8", "large", "closed"])
    func oneItemThatCannotBeReadKeepsNoOtherFromTheOutput(kind: String) async throws {
        let world = try await GroceryWorld()
        _ = await world.run("add", "Bread", "Milk")
        let file = try world.write("Tea\n")
        switch kind {
        case "not UTF-8": try Data([0x45, 0xFF, 0x0A]).write(to: URL(filePath: file))
        case "large": try Data(count: 5 << 20).write(to: URL(filePath: file))
        default: try Change.chmod(file, 0)
        }
        // Root may read everything.
        guard kind != "closed" || geteuid() != 0 else { return }
        for result in [
            await world.run("list", "--json"), await world.run("export"), await world.run("export", "--format", "todo"),
        ] {
            #expect(result.status == 1 && result.errors.contains(file), "\(result.errors)")
            #expect(result.text.contains("Bread") && result.text.contains("Milk"), "\(result.text)")
        }
    }

    @Test func aListThatDoesNotExistIsNotConverted() async throws {
        let world = try await GroceryWorld()
        _ = await world.run("add", "Milk")
        for arguments in ["--to-documents", "--to-folder=y", "--to-package=y", "--to-folder=z"] {
            let result = await world.run("convert", "--list", "z", arguments)
            #expect(result.status == 1 && result.errors.contains("there is no list 'z'"), "\(result.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: world.documents).count == 1)
        #expect(await world.list() == ["Milk"])
    }
}
