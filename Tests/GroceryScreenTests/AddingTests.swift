// Adding items that are on the list already, in the full-screen view.
// SPDX-License-Identifier: Apache-2.0

import GroceryModel
import Testing

@testable import GroceryScreen

struct AddingTests {
    private func texts(_ work: [(Int, ScreenWork)]) -> [String] {
        work.map { number, work in
            switch work {
            case .add(let text): "add \(text)"
            case .join(let twin, let quantity): "join \(twin.item.name), \(quantity), \(twin.typed.tags)"
            default: "\(work)"
            }
        }
    }

    @Test func theSumIsOfferedBeforeAnItemDoubles() {
        var model = Samples.model(Samples.three)
        model.type("a100 g cheese #market\n")
        #expect(model.takeWork().isEmpty)
        #expect(model.prompt?.title == "Cheese is on the list: 200 g. Now" && model.prompt?.line.text == "300 g")
        #expect(model.unsavedTexts == ["100 g cheese #market"])
        model.type("\n")
        #expect(texts(model.takeWork()) == ["join Cheese, 300 g, [\"market\"]"])
        // It goes on with the next item.
        #expect(model.prompt?.purpose == .add && model.prompt?.line.isEmpty == true)
    }

    @Test func anotherQuantityOrASecondItemIsPossible() {
        var model = Samples.model(Samples.three)
        model.type("acheese\n")
        #expect(model.prompt?.line.text == "200 g")
        model.press(.escape)
        #expect(model.prompt?.purpose == .add && model.prompt?.line.text == "cheese")
        #expect(model.lines.contains { $0.contains("Enter adds a second one") })
        #expect(model.takeWork().isEmpty)
        model.type("\n")
        #expect(texts(model.takeWork()) == ["add cheese"])
        // The next time it is asked again.
        model.type("cheese\n")
        model.press(.backspace)
        model.type("kg\n")
        #expect(texts(model.takeWork()) == ["join Cheese, 200 kg, []"])
        model.press(.escape)
        #expect(model.isInList)
    }

    @Test func itIsAskedAgainAfterThePromptWasLeft() {
        var model = Samples.model(Samples.three)
        model.type("acheese\n")
        model.press(.escape)
        model.press(.escape)
        #expect(model.isInList)
        model.type("acheese\n")
        #expect(model.takeWork().isEmpty && model.prompt?.line.text == "200 g")
        // The same for a text that was cleared and typed again.
        model.press(.escape)
        model.press(.control("u"))
        model.type("cheese\n")
        #expect(model.takeWork().isEmpty && model.prompt?.line.text == "200 g")
    }

    @Test func aFactIsSaidBesideAConflict() {
        var outcome = WorkOutcome(.conflict)
        outcome.append("Bread is on the list, too")
        #expect(outcome.message == "Saved; it is in conflict with a change from elsewhere; Bread is on the list, too")
    }

    @Test func anItemThatWasBoughtComesBackAtOnce() {
        var model = Samples.model([Samples.item(1, "Apples", quantity: "2", isBought: true), Samples.item(2, "Tea")])
        model.type("a3 apples\n")
        #expect(texts(model.takeWork()) == ["join Apples, 3, []"])
        model.press(.escape)
        // One that is being bought counts as bought.
        model.press(.down)
        model.press(.home)
        model.type(" ")
        _ = model.takeWork()
        model.type("atea\n")
        #expect(texts(model.takeWork()) == ["join Tea, , []"])
    }

    @Test func linesThatArePastedAreAdded() {
        var model = Samples.model(Samples.three)
        model.type("a")
        model.press(.pasteBegin)
        model.type("cheese\nbread\nmilk\n")
        model.press(.pasteEnd)
        #expect(texts(model.takeWork()) == ["add cheese", "add bread", "add milk"])
    }

    @Test func aTagHasTheSpellingOfTheList() {
        var model = Samples.model(Samples.three)
        model.type("t#BAKER new\n")
        var found: [[String]] = []
        for case .tag(_, let tags) in model.takeWork().map(\.1) { found.append(tags) }
        #expect(found == [["baker", "new"]])
    }
}
