// Items as a list shows and finds them: tags in upper or lower case, items of one name, and items without one.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments
import Testing

@testable import GroceryModel

struct GroceryItemTests {
    private func item(
        _ name: String, _ tags: [String] = [], quantity: String = "", isBought: Bool = false, time: Int64 = 0
    ) -> GroceryItem {
        var contents = ItemContents(name: name)
        (contents.tags, contents.quantity, contents.isBought) = (tags, quantity, isBought)
        return GroceryItem(
            id: .random(), path: "/x", summary: ItemSummary(contents), modified: Timestamp(nanoseconds: time))
    }

    @Test func tagsThatDifferInCaseAreOneGroup() throws {
        let items = [
            item("Milk", ["aldi"], time: 2), item("Bread", ["Aldi", "x"], time: 1), item("Tea", time: 3),
            item("Soap", ["ALDI"], isBought: true, time: 4),
        ]
        let groups = items.arranged(ListSettings())
        #expect(groups.map(\.tag) == ["Aldi", nil, nil])
        #expect(groups.map { $0.items.map(\.name) } == [["Bread", "Milk"], ["Tea"], ["Soap"]])
        #expect(items.spelled(["ALDI", "new", "X"]) == ["Aldi", "new", "x"])
        #expect(try ItemContents(typed: "Milk #Aldi #aldi #b").tags == ["Aldi", "b"])
        #expect(ItemContents(text: "Milk\ntags: Aldi, b, aldi\n").tags == ["Aldi", "b"])
        var base = ItemContents(name: "Milk")
        var (mine, theirs) = (base, base)
        (mine.tags, theirs.tags) = (["Aldi"], ["aldi", "b"])
        #expect(ItemContents.merge(base: base, mine: mine, theirs: theirs).merged.tags == ["Aldi", "b"])
        base.tags = ["x"]
        #expect(base.combined(with: mine).merged.tags == ["x", "Aldi"])
    }

    @Test func theSpellingThatMostItemsHaveStaysWhenOneChanges() {
        for time in [0, 9] as [Int64] {
            let items = [
                item("Milk", ["aldi"], time: time), item("Tea", ["Aldi"], time: 2), item("Rye", ["Aldi"], time: 3),
            ]
            #expect(items.tagSpellings == ["aldi": "Aldi"] && items.reversed().tagSpellings == ["aldi": "Aldi"])
        }
    }

    @Test func ofTwoItemsOfOneNameTheOneInTheWantedStateIsMeant() throws {
        let items = [item("Butter", isBought: true), item("butter"), item("Bread"), item("Bran", isBought: true)]
        #expect(try items.named("butter", isBought: false) == items[1])
        #expect(try items.named("butt", isBought: true) == items[0])
        #expect(throws: GroceryError.self) { try items.named("butter") }
        // Other names stay ambiguous.
        #expect(throws: GroceryError.self) { try items.named("br", isBought: false) }
        #expect(throws: GroceryError.self) { try (items + [item("Butter")]).named("butter", isBought: false) }
        #expect(try items.named("bread", isBought: true) == items[2])
    }

    @Test func anItemThatIsAddedFindsTheOneOfItsName() throws {
        let items = [
            item("Milk", isBought: true, time: 9), item("milk", quantity: "2 l"), item("Tea", isBought: true, time: 1),
            item("Tea", quantity: "3", isBought: true, time: 2),
        ]
        let milk = try #require(Twin(ItemContents(typed: "1 l MILK"), on: items))
        #expect(milk.item == items[1] && milk.quantity == "3 l" && milk.fact == "milk is on the list: 2 l")
        let tea = try #require(Twin(ItemContents(name: "tea"), on: items))
        #expect(tea.item == items[3] && tea.quantity == "3")
        #expect(try Twin(ItemContents(typed: "5 tea"), on: items)?.quantity == "5")
        #expect(Twin(ItemContents(name: "Mil"), on: items) == nil)
    }

    @Test(arguments: [
        "\u{200B}", " \u{AD}\u{2060}", "\u{3164}", "\u{FEFF}\u{FE0F}", "\u{2028}", "\u{E0020}", "\u{2800}",
    ])
    func aNameThatIsShownAsNothingIsRefused(_ name: String) throws {
        #expect(throws: GroceryError.self) { try ItemContents(typed: name) }
        #expect(throws: GroceryError.self) { try ItemText.name(name) }
        let text = "[{\"name\":\"\(name)\"}]"
        #expect(GroceryError.message { _ = try ImportedFile(Array(text.utf8), as: .json) }.contains("needs a name"))
        let base = ItemContents(name: "Milk")
        #expect(throws: GroceryError.self) { try ItemContents(edited: Array("\(name)\n".utf8), base: base) }
        #expect(
            GroceryItem(id: .random(), path: "/x", summary: ItemSummary(ItemContents(name: name))).name == "(no name)")
        #expect(try ItemContents(typed: "\(name)Tea").name.hasSuffix("Tea") || name == "\u{2028}")
    }

    @Test(arguments: ["", "\n", "  \nquantity: 1\n", "\u{FEFF}\n", "\u{200B}\n"])
    func anItemWithoutANameIsShownAsOne(_ text: String) {
        let contents = ItemContents(text: text)
        let item = GroceryItem(id: .random(), path: "/x", summary: ItemSummary(contents))
        #expect(item.name == "(no name)" && item.line.hasPrefix("(no name)"))
        #expect(throws: Never.self) { try contents.check() }
    }

    @Test(arguments: [#"[{"name":""}]"#, #"[{"name":" \t"}]"#, #"[{"name":"Tea"},{"quantity":"2"}]"#, #"[""]"#])
    func anEmptyNameIsNotImported(_ text: String) {
        #expect(GroceryError.message { _ = try ImportedFile(Array(text.utf8), as: .json) }.contains("needs a name"))
    }
}
