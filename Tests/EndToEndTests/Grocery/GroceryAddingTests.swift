// Adding items that are on the list already, on the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

struct GroceryAddingTests {
    @Test(arguments: [
        ("\r", ["Milk, 3 l  [market]"]), ("y\r", ["Milk, 3 l  [market]"]), ("n\r", ["Milk, 2 l"]),
        ("s\r", ["Milk, 2 l", "milk, 1 l  [market]"]), ("\u{4}", ["Milk, 2 l"]),
    ])
    func aTerminalIsAskedBeforeAnItemDoubles(_ answer: String, _ list: [String]) async throws {
        let world = try await GroceryWorld()
        _ = await world.run("add", "2 l Milk")
        let terminal = world.terminal("add", "1 l milk #market", "Tea")
        await terminal.until("Milk is on the list: 2 l. Now 3 l? [Y/n, s for a second one]")
        #expect(await world.list() == ["Milk, 2 l"])
        terminal.type(answer)
        #expect(await terminal.status() == 0, "\(terminal.screen.text)")
        #expect(
            await world.list("--group", "none").sorted { $0.lowercased() < $1.lowercased() }
                == (list + ["Tea"]).sorted { $0.lowercased() < $1.lowercased() })
    }

    @Test(arguments: [("\r", 1), ("y\r", 2)])
    func aSecondItemWithoutAQuantityIsAQuestion(_ answer: String, _ count: Int) async throws {
        let world = try await GroceryWorld()
        _ = await world.run("add", "Milk")
        let terminal = world.terminal("add", "Milk")
        await terminal.until("Milk is on the list. Add a second one? [y/N]")
        terminal.type(answer)
        #expect(await terminal.status() == 0)
        #expect(await world.list().count == count)
    }

    @Test func withoutATerminalItIsAddedAndSaid() async throws {
        let world = try await GroceryWorld()
        _ = await world.run("add", "2 l Milk")
        let second = await world.run("add", "1 l milk")
        #expect(second.status == 0 && second.errors.contains("Milk is on the list: 2 l already"), "\(second.errors)")
        #expect(await world.list().count == 2)
    }

    @Test func earlierTextsOfTheCommandCount() async throws {
        let world = try await GroceryWorld()
        let added = await world.run("add", "Milk", "2 l milk", "Tea")
        #expect(added.status == 0 && added.errors.contains("Milk is on the list already"), "\(added.errors)")
        #expect(await world.list().count == 3)
        // The hint takes back the second one alone.
        let hint =
            added.errors.split(separator: "grocery ").last?.split(whereSeparator: \.isWhitespace).map(String.init) ?? []
        #expect(hint.first == "remove")
        #expect(await world.run("remove", hint.last ?? "").text == "milk is off the list\n")
        // A terminal is asked with the sum so far, for an item of the list and for one of this command.
        let terminal = world.terminal("add", "1 l milk", "2 l Milk", "1 kg Flour #a", "2 kg flour #b", "--note", "n")
        await terminal.until("Milk is on the list. Now 1 l?")
        terminal.type("\r")
        await terminal.until("Milk is on the list: 1 l. Now 3 l?")
        terminal.type("\r")
        await terminal.until("Flour is on the list: 1 kg. Now 3 kg?")
        terminal.type("\r")
        #expect(await terminal.status() == 0, "\(terminal.screen.text)")
        #expect(await world.list("--group", "none") == ["Flour, 3 kg  [a, b]", "Milk, 3 l", "Tea"])
    }

    @Test func aConflictOfTheSumIsSaid() async throws {
        let world = try await GroceryWorld()
        let file = try world.write("Milk\nquantity: 2 l\n")
        #expect(await world.list() == ["Milk, 2 l"])
        let terminal = world.terminal("add", "1 l milk")
        await terminal.until("Milk is on the list: 2 l. Now 3 l?")
        try "Milk\nquantity: 5 l\n".write(toFile: file, atomically: true, encoding: .utf8)
        terminal.type("\r")
        #expect(await terminal.status() == 0)
        #expect(
            terminal.screen.text.contains("others changed it, too; see: grocery resolve"), "\(terminal.screen.text)")
    }

    @Test func importedTagsHaveTheSpellingOfTheList() async throws {
        let world = try await GroceryWorld()
        _ = await world.run("add", "Tea #Aldi")
        let json = #"[{"name":"Milk","tags":["ALDI","b"]}]"#
        #expect(await world.run("import", input: json).status == 0)
        #expect(await world.list("--group", "none") == ["Milk  [Aldi, b]", "Tea  [Aldi]"])
        // It is on the list already, in the spelling of the list.
        #expect(await world.run("import", input: json).text.contains("0 items are on the list now"))
        #expect(await world.list().count == 2)
        #expect(await world.run("add", "\u{200B}").status != 0)
    }

    @Test func anItemThatWasBoughtComesBack() async throws {
        let world = try await GroceryWorld()
        _ = await world.run("add", "2 l Milk #market", "Tea", "--note", "one")
        _ = await world.run("buy", "milk", "tea")
        let back = await world.run("add", "1 l milk #urgent", "tea", "--note", "two")
        #expect(back.status == 0 && back.errors.contains("Milk was bought, and is on the list again"), "\(back.errors)")
        #expect(await world.list("--group", "none") == ["Milk, 1 l  [market, urgent]", "Tea"])
        #expect(await world.run("list").lines.allSatisfy { !$0.hasPrefix("x") })
        #expect(await world.run("show", "milk").text.hasSuffix("\none\ntwo\n"))
        // Two texts of one command: the second finds the item on the list.
        _ = await world.run("buy", "milk")
        _ = await world.run("add", "1 l milk", "2 l milk")
        #expect(await world.list().filter { $0.hasPrefix("Milk") } == ["Milk, 3 l  [market, urgent]"])
    }

    @Test func ofTwoItemsOfOneNameTheWantedOneIsBought() async throws {
        let world = try await GroceryWorld()
        _ = await world.run("add", "1 Butter")
        _ = await world.run("buy", "butter")
        _ = await world.run("add", "Bread")
        _ = await world.run("rename", "bread", "Butter")
        #expect(await world.run("buy", "butter").text == "Butter is bought\n")
        #expect(await world.run("list").lines.allSatisfy { $0.hasPrefix("x") })
        _ = await world.run("undo")
        #expect(await world.run("list").lines.map { $0.prefix(1) } == [" ", "x"])
        #expect(await world.run("unbuy", "butter").status == 0)
        #expect(await world.run("buy", "butter").status == 1)
    }

    @Test func aNameThatAnotherItemHasIsSaid() async throws {
        let world = try await GroceryWorld()
        _ = await world.run("add", "Milk", "2 Bread")
        let renamed = await world.run("rename", "milk", "bread")
        #expect(renamed.status == 0 && renamed.errors.contains("Bread is on the list: 2, too"), "\(renamed.errors)")
        #expect(await world.run("rename", "2", "x").status == 1)
        #expect(await world.run("undo").status == 0)
        #expect(await world.run("rename", "milk", "MILK").errors == "")
    }
}
