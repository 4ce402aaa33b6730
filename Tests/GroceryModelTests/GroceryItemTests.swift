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

    @Test(arguments: ["", "\n", "  \nquantity: 1\n", "\u{FEFF}\n"]) func anItemWithoutANameIsShownAsOne(_ text: String) {
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
