// The state of the full-screen view under keys and news.
// SPDX-License-Identifier: Apache-2.0

import GroceryModel
import Testing

@testable import GroceryScreen

struct ScreenModelTests {
    @Test func `The selection stays on its item when others come and go`() {
        var model = Samples.model(Samples.three)
        model.press(.down)
        #expect(model.selected?.name == "Bread")
        model.receive(.list(.changed([Samples.item(4, "Aubergines"), Samples.item(5, "Beer")], removed: [])))
        #expect(model.selected?.name == "Bread")
        model.receive(.list(.changed([], removed: [Samples.identifier(1)])))
        #expect(model.selected?.name == "Bread")
        // Renamed by another program.
        model.receive(.list(.changed([Samples.item(2, "Zwieback")], removed: [])))
        #expect(model.selected?.name == "Zwieback")
    }

    @Test func `When the selected item is removed here the selection goes to the one in its place`() {
        var model = Samples.model(Samples.three)
        model.press(.down)
        model.press(.character("d"))
        model.receive(.list(.changed([], removed: [Samples.identifier(2)])))
        #expect(model.selected?.name == "Cheese")
        model.press(.character("d"))
        model.receive(.list(.changed([], removed: [Samples.identifier(3)])))
        #expect(model.selected?.name == "Apples")
        model.press(.character("d"))
        model.receive(.list(.items([])))
        #expect(model.selected == nil)
        _ = model.takeWork()
        model.press(.character(" "))
        model.press(.character("e"))
        #expect(model.takeWork().isEmpty && model.message?.isError == true)
    }

    @Test(arguments: [true, false], [80, 140])
    func anItemThatAnotherRemovesIsNotReplacedByTheNextOne(isInDetails: Bool, width: Int) {
        var model = Samples.model(Samples.three, width: width)
        model.press(.down)
        if isInDetails { model.press(.enter) }
        model.receive(.list(.changed([], removed: [Samples.identifier(2)])))
        var asked: [ItemIdentifier] = []
        for case .remover(let id) in model.takeRequests() { asked.append(id) }
        #expect(asked == [Samples.identifier(2)] && model.selected == nil)
        model.receive(.remover(Samples.identifier(2), "ben"))
        // No key acts on the item that has come to the place.
        model.type("dernTc b")
        model.press(.delete)
        #expect(model.takeWork().isEmpty && model.prompt == nil)
        #expect(model.message?.text == "Bread was removed by ben; u brings it back")
        if isInDetails || width == 140 {
            #expect(model.lines.contains { $0.contains("Removed by ben; u brings it back") })
            #expect(!model.lines.contains { $0.contains("200 g") && $0.contains("Quantity") })
        }
        model.type("u")
        #expect(model.takeWork().map { "\($0.1)" } == ["\(ScreenWork.bringBack(Samples.identifier(2)))"])
        model.receive(.list(.changed([Samples.three[1]], removed: [])))
        #expect(model.selected?.name == "Bread" && model.gone == nil)

        model.receive(.list(.items([Samples.three[0], Samples.three[2]])))
        #expect(model.gone?.item.name == "Bread")
        model.press(isInDetails ? .escape : .down)
        #expect(model.gone == nil && model.selected?.name == "Cheese")
        model.type("d")
        #expect(model.takeWork().map { "\($0.1)" } == ["\(ScreenWork.remove(Samples.identifier(3)))"])
    }

    @Test func `Space buys and goes on to the next item to buy`() {
        var model = Samples.model(Samples.three)
        model.type("  ")
        var bought: [ItemIdentifier] = []
        for case .setBought(let id, true) in model.takeWork().map(\.1) { bought.append(id) }
        #expect(bought == [Samples.identifier(1), Samples.identifier(2)])
        #expect(model.selected?.name == "Cheese")
        // The list shows what was asked for before it is saved.
        #expect(model.lines.contains { $0.contains("~ [x] Apples") })
    }

    @Test func `A bought item is marked as not bought again`() {
        var model = Samples.model([Samples.item(1, "Apples", isBought: true)])
        model.type(" ")
        guard case .setBought(_, false) = model.takeWork().first?.1 else {
            Issue.record("no such change")
            return
        }
    }

    @Test func `A typed item is asked for, and the prompt waits for the next`() {
        var model = Samples.model(Samples.three)
        model.type("a2 kg flour #market\n")
        guard case .add("2 kg flour #market") = model.takeWork().first?.1 else {
            Issue.record("no such change")
            return
        }
        #expect(model.prompt?.line.isEmpty == true)
        model.type("\n")
        #expect(model.isInList)
    }

    @Test func `A text that cannot be saved comes back with the reason`() {
        var model = Samples.model(Samples.three)
        model.type("aflour\n")
        model.receive(.finished(1, .failure(ScreenFailure(message: "The disk is full"))))
        #expect(model.prompt?.line.text == "flour" && model.prompt?.error == "The disk is full")
        #expect(model.lines.contains("The disk is full") && model.lines.contains("Add: flour"))
        #expect(model.unsavedTexts == ["flour"])
    }

    @Test func `A half-typed line is not disturbed by a text that comes back`() {
        var model = Samples.model(Samples.three)
        model.type("aflour\nsug")
        model.receive(.finished(1, .failure(ScreenFailure(message: "The disk is full"))))
        model.receive(.list(.items([Samples.item(9, "Other")])))
        #expect(model.prompt?.line.text == "sug")
        #expect(model.unsavedTexts == ["flour", "sug"])
        model.type("ar\n")
        #expect(model.prompt?.line.text == "flour" && model.prompt?.error == "The disk is full")
        #expect(model.takeWork().count == 2)
    }

    @Test func `A text that was given up is there with the Up key`() {
        var model = Samples.model(Samples.three)
        model.type("aflour")
        model.press(.escape)
        #expect(model.isInList)
        model.type("a")
        model.press(.up)
        #expect(model.prompt?.line.text == "flour")
        model.press(.down)
        #expect(model.prompt?.line.text == "")
    }

    @Test func `The filter shows matches while it is typed, and Esc shows all with the former selection`() {
        var model = Samples.model(Samples.three)
        model.press(.down)
        model.type("/CHEE")
        #expect(model.rows.count == 1 && model.selected?.name == "Cheese")
        model.type("x")
        #expect(model.rows.isEmpty && model.selected == nil)
        model.press(.escape)
        #expect(model.rows.count == 3 && model.selected?.name == "Bread")
        model.type("/#bak\n")
        #expect(model.rows.count == 1 && model.isInList && model.selected?.name == "Bread")
        model.press(.escape)
        #expect(model.rows.count == 3)
    }

    @Test(arguments: [
        ("cheese", true), ("200 g", true), ("g CHEESE", true), ("#dairy", true), ("#dai", true), ("dairy", true),
        ("#cheese", false), ("bread", false), ("cheese bread", false), ("  ", true), ("#", true),
    ])
    func `A filter has words for names and quantities and tags`(_ text: String, _ matches: Bool) {
        let item = Samples.item(1, "Cheese", quantity: "200 g", tags: ["Dairy"])
        #expect(ItemFilter(text).matches(item) == matches)
    }

    @Test(arguments: [
        ("tags == 'x'", true), ("size > 3", true), ("modified<'-1d'", true), ("name LIKE[c] 'a*'", true),
        ("kind IN {'file'}", true), ("LIKE", false), ("I like tea", false), ("CONTAINS nuts", false), ("", false),
    ])
    func `A text with a comparison is a predicate`(_ text: String, _ isPredicate: Bool) {
        #expect(ItemFilter.isPredicate(text) == isPredicate)
    }

    @Test func `The answer to a predicate stays while one goes on typing`() {
        var model = Samples.model(Samples.three)
        func asked() -> [String] {
            model.takeRequests().compactMap { if case .match(let text) = $0 { text } else { nil } }
        }
        model.type("/tags == 'a'")
        #expect(asked() == ["tags =", "tags ==", "tags == ", "tags == '", "tags == 'a", "tags == 'a'"])
        #expect(model.rows.compactMap(\.id).count == 3)
        let second = Samples.three[1].id
        model.receive(.matched("tags == 'a'", .success([second])))
        #expect(model.rows.compactMap(\.id) == [second])
        model.type("x")
        // An answer that comes late, and the error of a text that is not whole.
        model.receive(.matched("tags == 'a'", .success([])))
        model.receive(.matched("tags == 'a'x", .failure(ScreenFailure(message: "no predicate"))))
        #expect(model.rows.compactMap(\.id) == [second] && model.filterError == "no predicate")
        _ = asked()
        // A change of the list may change the answer.
        model.receive(.list(.changed([Samples.three[0]], removed: [])))
        #expect(asked() == ["tags == 'a'x"])
        model.press(.escape)
        #expect(model.rows.compactMap(\.id).count == 3 && model.matching == nil && model.filterError == nil)
    }

    @Test(arguments: [
        ("add Milk #market", "add Milk \\#market"), ("add 'Milk #market' #x", "add 'Milk #market' \\#x"),
        ("list | wc -l", "list | wc -l"), ("add C# \"a #b\"", "add C# \"a #b\""), ("add \\' #a", "add \\' \\#a"),
    ])
    func `A tag is no comment of the shell`(_ line: String, _ escaped: String) {
        #expect(CommandRunner.escapingTags(line) == escaped)
    }

    @Test func `An added item becomes selected unless another was selected meanwhile`() {
        var model = Samples.model(Samples.three)
        model.type("aSugar\n\n")
        model.receive(.finished(1, .success(WorkOutcome(added: Samples.identifier(7)))))
        model.receive(.list(.changed([Samples.item(7, "Sugar")], removed: [])))
        #expect(model.selected?.name == "Sugar")
        model.type("aTea\n\n")
        model.receive(.finished(2, .success(WorkOutcome(added: Samples.identifier(8)))))
        model.press(.home)
        model.receive(.list(.changed([Samples.item(8, "Tea")], removed: [])))
        #expect(model.selected?.name == "Apples")
    }

    @Test func `The view ends after all changes are made`() {
        var model = Samples.model(Samples.three)
        model.type(" q")
        #expect(!model.takeRequests().contains { if case .quit = $0 { true } else { false } })
        model.receive(.finished(1, .success(WorkOutcome())))
        #expect(model.takeRequests().contains { if case .quit = $0 { true } else { false } })
    }

    @Test func `The view stays when the last text could not be saved`() {
        var model = Samples.model(Samples.three)
        model.type("aflour\n\nq")
        model.receive(.finished(1, .failure(ScreenFailure(message: "The disk is full"))))
        #expect(model.prompt?.line.text == "flour")
        #expect(!model.takeRequests().contains { if case .quit = $0 { true } else { false } })
    }

    @Test func `Without a daemon the view says so and reads the list after each change`() {
        var model = Samples.model(Samples.three)
        model.receive(.list(.away(reason: "gatherd cannot be reached")))
        #expect(model.lines.contains("Not live: gatherd cannot be reached"))
        model.type(" ")
        _ = model.takeRequests()
        model.receive(.finished(1, .success(WorkOutcome())))
        guard case (let number, .reload)? = model.takeWork().first else {
            Issue.record("the list is not read")
            return
        }
        model.receive(.finished(number, .success(WorkOutcome(items: [Samples.item(1, "Apples", isBought: true)]))))
        #expect(model.takeWork().isEmpty && model.items?.count == 1)
        model.receive(.list(.items(Samples.three)))
        #expect(!model.lines.contains { $0.hasPrefix("Not live") })
    }

    @Test func `Pasted text is never taken for keys`() {
        var model = Samples.model(Samples.three)
        model.press(.pasteBegin)
        model.type("dq\nu")
        model.press(.pasteEnd)
        #expect(model.takeRequests().isEmpty && model.prompt?.line.text == "dq u")
        // With the prompt open, each line is an item.
        model.press(.escape)
        model.type("a")
        model.press(.pasteBegin)
        model.type("milk\neggs\n")
        model.press(.pasteEnd)
        #expect(model.takeWork().count == 2)
    }

    @Test func `Groups have headings, and the selection stays on its item`() {
        var model = Samples.model([
            Samples.item(1, "Milk", tags: ["market"]), Samples.item(2, "Apples"),
            Samples.item(3, "Tea", isBought: true),
        ])
        #expect(model.selected?.name == "Apples")
        model.type("g")
        let rows = model.rows.map { if case .heading(let title) = $0 { title } else { "" } }
        #expect(rows == ["#market", "", "Without a tag", "", "Bought", ""])
        #expect(model.selected?.name == "Apples")
        model.press(.home)
        #expect(model.selected?.name == "Milk")
        model.press(.end)
        #expect(model.selected?.name == "Tea")
    }

    @Test func `Keys ask for the changes that they stand for`() {
        var model = Samples.model([Samples.item(1, "Milk", quantity: "1 l", tags: ["bio"])])
        model.type("rx\nn2\nt#a b\nT\ndu")
        let work = model.takeWork().map { "\($0.1)" }
        let id = Samples.identifier(1)
        let expected: [ScreenWork] = [
            .rename(id, "Milk", "Milkx"), .setQuantity(id, "1 l", "1 l2"), .tag(id, ["a", "b"]), .untag(id, ["bio"]),
            .remove(id),
            .undo(nil),
        ]
        #expect(work == expected.map { "\($0)" })
    }

    @Test func `The tags that are typed are removed, and all of them only if nothing is typed`() {
        let id = Samples.identifier(1)
        func untagged(_ keys: (inout ScreenModel) -> Void) -> [String] {
            var model = Samples.model([Samples.item(1, "Milk", tags: ["market", "bio", "new"])])
            model.type("T")
            #expect(model.prompt?.line.text == "#market #bio #new")
            keys(&model)
            return model.takeWork().compactMap { if case .untag(id, let tags) = $0.1 { tags } else { nil } }.flatMap {
                $0
            }
        }
        #expect(untagged { $0.type("bio\n") } == ["bio"])
        #expect(untagged { $0.type("#new, #bio\n") } == ["new", "bio"])
        #expect(untagged { $0.press(.enter) } == ["market", "bio", "new"])
        #expect(untagged { $0.press(.escape) } == [])
        // Keys that edit the text keep it.
        #expect(
            untagged {
                for _ in "#new " { $0.press(.backspace) }
                $0.press(.enter)
            } == ["market", "bio"])
        #expect(
            untagged {
                $0.press(.pasteBegin)
                $0.type("new")
                $0.press(.pasteEnd)
                $0.press(.enter)
            } == ["new"])
        // An earlier text from the history is edited as any other.
        #expect(
            untagged {
                $0.type("bi")
                $0.press(.escape)
                $0.type("T")
                $0.press(.up)
                $0.type("o\n")
            } == ["bio"])
    }

    private func bottomLine(_ model: ScreenModel) -> String { model.draw().text(line: model.height - 1) }

    @Test func theBottomLineNamesTheChangeThatAnUndoTakesBack() {
        var model = Samples.model([Samples.item(1, "Milk")])
        #expect(bottomLine(model).contains("u Undo  "))
        let change = UndoableChange(key: "7", action: "add Bread")
        model.receive(.undoable(change))
        #expect(bottomLine(model).contains("u Undo: add Bread  "))
        model.type("u")
        #expect(model.takeWork().map { "\($0.1)" } == ["\(ScreenWork.undo(change))"])
        model.receive(.undoable(UndoableChange(key: "8", action: "remove Bread, Milk, Butter, Cheese")))
        #expect(bottomLine(model).contains("u Undo: remove Br...  "))
        model.receive(.undoable(nil))
        #expect(bottomLine(model).contains("u Undo  "))
    }
}
