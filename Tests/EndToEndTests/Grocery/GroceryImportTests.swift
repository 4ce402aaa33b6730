// Importing and exporting files of several formats on the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import TestSupport
import Testing

struct GroceryImportTests {
    private struct World {
        let daemon: TestDaemon

        init() async throws { daemon = try await TestDaemon() }

        func run(_ arguments: String..., input: String = "") async -> ChildProcess.Result {
            await ChildProcess(
                .grocery, arguments + ["--socket", daemon.socket.path, "--container", "box"],
                environment: ["XDG_STATE_HOME": daemon.directory + "/home"], input: input
            ).result()
        }

        func list() async -> [String] { ListedItem.texts(await run("list", "--group", "none").lines).sorted() }

        /// The texts of the items' files, sorted.
        func texts() throws -> [String] {
            let folder = daemon.box + "/Documents"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return try names.filter { $0.hasPrefix("Item_") }.map {
                try String(contentsOfFile: folder + "/" + $0, encoding: .utf8)
            }.sorted()
        }

        /// Writes a file beside the container, and returns its path.
        func file(_ name: String, _ text: String) throws -> String {
            let path = daemon.directory + "/" + name
            try Change.write(text, to: path)
            return path
        }
    }

    private static let names = [
        "(2) Milk", "x files DVD", "(A) batteries", "2026-11-04 cake", "2 x milk", "Milk @home", "due:2026-11-09",
        "- [ ] Tea",
        "rye  bread", "name,quantity", "<html>", "qty:2", "+1 gift", "[\"a\"]",
    ]

    @Test func `A list comes back from todo.txt, and a second import finds it`() async throws {
        let world = try await World()
        let items: [[String: Any]] = GroceryImportTests.names.enumerated().map { index, name in
            ["name": name, "tags": ["dairy_free", "my shop"], "bought": index % 2 == 0]
        }
        let json = String(decoding: try JSONSerialization.data(withJSONObject: items), as: UTF8.self)
        #expect(await world.run("import", input: json).text == "\(items.count) items are on the list now\n")
        _ = await world.run("add", "2.5 kg flour #a_b", "Milk", "Milk")
        let before = try world.texts()
        let exported = await world.run("export", "--format", "todo")
        #expect(exported.errors == "" && before.count == GroceryImportTests.names.count + 3)
        let file = try world.file("todo.txt", exported.text)
        let count = before.count
        for source in ["file", "input"] {
            let again =
                source == "file" ? await world.run("import", file) : await world.run("import", input: exported.text)
            #expect(again.text == "0 items are on the list now; \(count) were there already\n", "\(again.errors)")
            #expect(again.errors == "" && again.status == 0)
        }
        #expect(await world.run("import", file, "--list", "Copy").text == "\(count) items are on the list now\n")
        #expect(
            await world.run("export", "--format", "todo", "--list", "Copy").text.split(separator: "\n").sorted()
                == exported.text.split(separator: "\n").sorted())
        // The import is one change.
        #expect(await world.run("undo", "--list", "Copy").lines == ["undone: add \(count) items"])
        #expect(await world.run("list", "--list", "Copy").text == "")
        // One of two equal lines is on the list.
        #expect(await world.run("import", "--list", "Two", input: "Milk\n").text == "1 item is on the list now\n")
        #expect(
            await world.run("import", "--list", "Two", input: "Milk\nMilk\n").text
                == "1 item is on the list now; 1 was there already\n")
        #expect(try world.texts() == before)
    }

    @Test func `Dates of another program stay, and lost fields are named`() async throws {
        let world = try await World()
        let text = "(A) 2026-11-04 Milk @dairy due:2026-11-09\nx 2026-11-05 2026-11-04 Bread qty:2\n"
        #expect(await world.run("import", "--format", "todo", input: text).text == "2 items are on the list now\n")
        let exported = await world.run("export", "--format", "todo")
        #expect(Set(exported.lines) == Set(text.split(separator: "\n").map(String.init)) && exported.errors == "")
        _ = await world.run("add", "Tea", "--note", "green")
        #expect(
            await world.run("export", "--format", "todo").errors
                == "grocery: todo.txt has no notes, and one is left out\n")
    }

    @Test func `A table and a check list are read as what they are`() async throws {
        let world = try await World()
        let table = try world.file(
            "a.csv", "Item;Amount;Aisle;Done;Price\nMilk;2 l;dairy;yes;1,20\n\"Rye; dark\";;;;2\n")
        let result = await world.run("import", table)
        #expect(result.text == "2 items are on the list now\n")
        #expect(result.errors == "grocery: left out, since items have no such fields: Price (2 values)\n")
        #expect(await world.list() == ["Milk, 2 l  [dairy]", "Rye; dark"])
        #expect(try world.texts() == ["Milk\nquantity: 2 l\nbought: yes\ntags: dairy\n", "Rye; dark\n"])
        let checks = try world.file("b.md", "# Shop\n- [x] Eggs\n- [ ] Milk @home\n- Tea\n")
        let read = await world.run("import", checks)
        #expect(read.text == "3 items are on the list now\n")
        #expect(read.errors == "grocery: left out, since these are no lines of a list: line 1: # Shop\n")
        #expect(await world.list() == ["Eggs", "Milk @home", "Milk, 2 l  [dairy]", "Rye; dark", "Tea"])
        #expect(await world.run("import", checks).text == "0 items are on the list now; 3 were there already\n")
        #expect(await world.run("import", table).text == "0 items are on the list now; 2 were there already\n")
        // The option overrules the contents and the name.
        #expect(await world.run("import", checks, "--format", "todo").text == "4 items are on the list now\n")
        #expect(await world.list().contains("- [ ] Milk  [home]"))
    }

    @Test func `An import that cannot be whole changes nothing`() async throws {
        let world = try await World()
        _ = await world.run("add", "Bread")
        let before = try world.texts()
        let id = "9B1DEB4D-3B7D-4BAD-9BDD-2B0D7B3DCB6D"
        let refused = [
            ("a.ics", "Milk\n", "is an iCalendar file; grocery reads JSON, todo.txt, CSV and Markdown check lists"),
            ("a.txt", "BEGIN:VCALENDAR\nEND:VCALENDAR\n", "is an iCalendar file"),
            ("a.html", "Milk", "is an HTML file"),
            ("b.txt", "<!DOCTYPE html>\n", "is an HTML file"), ("c.txt", "%PDF-1.7\n", "is a PDF file"),
            ("a.odt", "x", "is a document of a word processor"),
            ("a.xyz", "Milk\n", "does not know files that end with .xyz"),
            ("a.csv", "Milk,2\n", "no column for the name"),
            ("b.csv", "name,qty\nMilk,1\nTea,1,5\n", "line 3 has 3 cells"),
            ("a.md", "Dear Ana\n", "no line of a list"), ("d.txt", "Milk\n@home\n", "line 2: an item needs a name"),
            (
                "a.json", #"[{"name":"Tea"},{"name":"Milk","others":["x: 1\nbought: yes"]}]"#,
                "item 2 ('Milk'): the other lines"
            ),
            (
                "b.json", #"[{"name":"Tea"},{"name":"Milk","quantity":"1\nbought: yes"}]"#,
                "item 2 ('Milk'): a quantity is one line"
            ),
            (
                "c.json", #"[{"id":"\#(id)","name":"A"},{"name":"B"},{"id":"\#(id)","name":"C"}]"#,
                "item 1 ('A') and item 3 ('C')"
            ),
        ]
        for (name, text, message) in refused {
            let result = await world.run("import", try world.file(name, text))
            #expect(result.status == 64 && result.text == "", "\(name)")
            #expect(result.errors.contains(message), "\(name): \(result.errors)")
            #expect(try world.texts() == before, "\(name)")
        }
        #expect(await world.run("undo").lines == ["undone: add Bread"])
    }

    @Test func anImportThatCannotBeUndoneSaysSoBeforeItBegins() async throws {
        let world = try await World()
        let note = String(repeating: "n", count: 60_000)
        let items = (0..<5).map { ["name": "Item \($0)", "note": note] }
        let file = try world.file("large.json", String(decoding: try JSONEncoder().encode(items), as: UTF8.self))
        let warning = "these 5 items are too many to be taken back with 'grocery undo'"
        let terminal = PseudoTerminal(
            path: Product.grocery.path, ["import", file, "--socket", world.daemon.socket.path, "--container", "box"],
            environment: ["XDG_STATE_HOME": world.daemon.directory + "/home"], width: 200)
        await terminal.until("\(warning). Import them? [Y/n]")
        #expect(try world.texts() == [])
        terminal.type("n\r")
        #expect(await terminal.status() == 1 && terminal.screen.text.contains("nothing was imported"))
        #expect(try world.texts() == [])
        let imported = await world.run("import", file)
        #expect(imported.errors == "grocery: \(warning)\n" && imported.text == "5 items are on the list now\n")
        #expect(await world.run("undo").errors.contains("it was too large to be recorded"))
        // Items that are there already do not count.
        #expect(await world.run("import", file).errors == "")
    }

    @Test func `A second import names items with other contents`() async throws {
        let world = try await World()
        _ = await world.run("add", "2 l Milk", "Bread", "Tea")
        let exported = await world.run("export").text
        _ = await world.run("buy", "milk")
        _ = await world.run("rename", "bread", "Rye bread")
        _ = await world.run("remove", "tea")
        let again = await world.run("import", input: exported)
        #expect(again.text == "1 item is on the list now; 2 were there already\n")
        let milk = String(await world.run("list").lines.first { $0.contains("Milk") }?.dropFirst(2).prefix(8) ?? "")
        #expect(again.errors.contains("left as they are: "), "\(again.errors)")
        #expect(again.errors.contains("Milk (\(milk))") && again.errors.contains("Rye bread ("), "\(again.errors)")
        #expect(await world.list() == ["Milk, 2 l", "Rye bread", "Tea"])
        // Without an identifier, another quantity is another item, and the one on the list is named.
        let twin = await world.run("import", input: "Milk qty:3_l\n")
        #expect(twin.text == "1 item is on the list now\n")
        #expect(twin.errors.contains("under the same name, with other contents: Milk (\(milk))"), "\(twin.errors)")
    }

    @Test func `JSON of another program is read`() async throws {
        let world = try await World()
        let text =
            #"{"title":"Home","items":[{"title":"Milk","quantity":2,"complete":true,"price":1},{"item":"Tea","checked":false}]}"#
        let result = await world.run("import", input: text)
        #expect(result.text == "2 items are on the list now\n")
        #expect(
            result.errors == "grocery: left out, since items have no such fields: title (1 value), price (1 value)\n")
        #expect(try world.texts() == ["Milk\nquantity: 2\nbought: yes\n", "Tea\n"])
    }
}
