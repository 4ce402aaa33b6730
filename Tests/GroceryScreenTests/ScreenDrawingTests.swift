// The screen as cells, in many sizes.
// SPDX-License-Identifier: Apache-2.0

import GroceryModel
import Testing

@testable import GroceryScreen

struct ScreenDrawingTests {
    @Test func `80 columns show the list and the details and the keys`() {
        var model = Samples.model([
            Samples.item(1, "Apples"), Samples.item(2, "Bread", conflictVersions: 1),
            Samples.item(3, "日本茶", isBought: true),
        ])
        let note = Samples.contents("Apples") {
            $0.note = "Only red ones."; $0.picture = "Item_1.jpg"
        }
        model.receive(.details(model.wantedDetails!, .success(ItemDetails(contents: note, versions: []))))
        let lines = model.lines
        #expect(lines[0].hasPrefix(" Grocery: home") && lines[0].hasSuffix("2 to buy, 1 bought"))
        #expect(lines[1].hasPrefix(">• [ ] Apples") && lines[1].hasSuffix("│ Apples"))
        #expect(lines[2].hasPrefix(" ! [ ] Bread"))
        #expect(lines[3].hasPrefix(" Bought") && lines[4].hasPrefix(" • [x] 日本茶"))
        for text in ["Picture   Item_1.jpg", "Owner     ada", "Modified  2026-11-1", "Only red ones."] {
            #expect(lines.contains { $0.contains(text) }, "\(text)")
        }
        #expect(lines[23] == "a Add  Space Buy  / Find  e Edit  d Remove  u Undo  r Rename  ? Help  q Quit")
    }

    @Test func `A narrow screen shows the list, and the details in its place`() {
        var model = Samples.model(Samples.three, width: 20, height: 5)
        #expect(model.lines[1] == ">• [ ] Apples" && model.lines[4] == "? Help  q Quit")
        model.press(.enter)
        #expect(model.lines[1] == "Apples")
        model.press(.escape)
        #expect(model.lines[1] == ">• [ ] Apples")
    }

    @Test func `A single line shows the selected item, or the prompt`() {
        var model = Samples.model(Samples.three, width: 20, height: 1)
        model.press(.down)
        #expect(model.lines == [">• [ ] Bread  #baker"])
        model.type("a")
        #expect(model.lines == ["Add:"])
    }

    @Test func `Lights have a colour and a sign`() {
        var model = Samples.model([Samples.item(1, "Apples"), Samples.item(2, "Bread", conflictVersions: 1)])
        func light(_ line: Int) -> (String, CellStyle.Colour) {
            let cell = model.draw()[line, 1]
            return (cell.scalars.map(String.init).joined(), cell.style.colour)
        }
        #expect(light(1) == ("•", .green) && light(2) == ("!", .red))
        model.type("rPears\n")
        #expect(light(1) == ("~", .yellow))
    }

    @Test func `An empty list says how to begin`() {
        #expect(Samples.model([]).lines[1].contains("The list is empty. Press a to add"))
        #expect(Samples.model(nil).lines[1].contains("Reading the list"))
    }

    @Test func `The screen is readable in ASCII`() {
        let model = Samples.model([Samples.item(1, "Süßes 日本"), Samples.item(2, "x\u{1B}[2J")], isUnicode: false)
        let grid = model.draw()
        #expect(grid.cells.allSatisfy { $0.scalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F } })
        #expect(grid.text(line: 1).hasPrefix(">o [ ] S??es ??") && grid.text(line: 2).hasPrefix(" o [ ] x\\e[2J"))
    }

    @Test func `The text around the cursor is shown`() throws {
        var model = Samples.model(Samples.three, width: 20, height: 5)
        model.type("a0123456789日本0123456789")
        let grid = model.draw()
        #expect(grid.text(line: 3) == "Add: 日本0123456789" || grid.text(line: 3) == "Add: 本0123456789")
        let cursor = try #require(grid.cursor)
        #expect(
            cursor.line == 3 && cursor.column == grid.text(line: 3).count + (grid.text(line: 3).contains("日") ? 2 : 1))
        model.press(.home)
        #expect(model.draw().cursor?.column == 5)
    }

    @Test func `The selected item is on the screen wherever the list is scrolled`() {
        var model = Samples.model((0..<100).map { Samples.item($0, "Thing \($0 + 100)") }, width: 40, height: 10)
        for key in [Key.pageDown, .pageDown, .end, .up, .pageUp, .home, .down, .wheelDown, .wheelUp] {
            model.press(key)
            #expect(model.lines.count { $0.hasPrefix(">") } == 1, "\(key)")
        }
        model.press(.end)
        #expect(model.lines[7].hasPrefix(">• [ ] Thing 199"))
        model.resize(width: 40, height: 5)
        #expect(model.lines.contains { $0.hasPrefix(">• [ ] Thing 199") })
        model.press(.home)
        model.press(.click(column: 5, line: 2))
        #expect(model.selected?.name == "Thing 101")
    }

    @Test func `Every mode is drawn in every size`() {
        let items = [Samples.item(1, "日本茶", quantity: "2 kg", tags: ["a"], conflictVersions: 1), Samples.item(2, "B")]
        let contents = Samples.contents("日本茶")
        let other = Samples.contents("Tea") { $0.note = "日本\n\tx" }
        for keys in ["", "/茶", "a日本茶", "r", "?", "c", "\n", "g", "s"] {
            for width in 1...30 {
                for height in 1...8 {
                    var model = Samples.model(items, width: width, height: height)
                    model.type(keys)
                    if let wanted = model.wantedDetails {
                        let versions = [
                            Samples.version(0, contents, device: "日本"),
                            Samples.version(1, other, device: "x"),
                        ]
                        model.receive(.details(wanted, .success(ItemDetails(contents: other, versions: versions))))
                    }
                    let grid = model.draw()
                    #expect(grid.width == width && grid.height == height)
                    if let cursor = grid.cursor { #expect(cursor.column < width && cursor.line < height) }
                }
            }
        }
    }
}
