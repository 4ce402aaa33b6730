// Items as JSON, also of other programs.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import GroceryModel

@Suite struct ItemsJSONTests {
    private func file(_ text: String) throws -> ImportedFile { try ImportedFile(Array(text.utf8), as: .json) }

    @Test(arguments: [
        (#"[{"title":"Milk","quantity":2,"complete":true}]"#, ["x Milk|2||"]),
        (#"[{"item":"Milk","qty":1.50,"unit":"kg","checked":1,"category":"a, b"}]"#, ["x Milk|1.50 kg|a+b|"]),
        (
            #"[{"text":"Milk","amount":2.0,"completed":"2026-11-04T10:00:00Z","labels":["a"],"notes":"n"}]"#,
            ["x Milk|2|a|n"]
        ),
        (#"[{"name":"Milk","done":"no"},{"name":"Tea","isChecked":true,"quantity":null}]"#, ["Milk|||", "x Tea|||"]),
        (#"["Milk","Tea"]"#, ["Milk|||", "Tea|||"]), (#"{"list":"Home","items":[{"name":"Milk"}]}"#, ["Milk|||"]),
        (
            #"{"title":"Home","x":[],"labels":[{"name":"a"}],"y":[1],"listContent":[{"text":"Milk"},{"text":"Tea"}]}"#,
            ["Milk|||", "Tea|||"]
        ),
        (#"{"name":"Milk","prices":[1,2]}"#, ["Milk|||"]), (#"{"things":[]}"#, []),
        (#"{"name":"Milk","tags":["a"]}"#, ["Milk||a|"]), (#"{"name":"Home","things":["Milk"]}"#, ["Milk|||"]),
        (#"[{"name":"Milk","description":"a","comment":"b"}]"#, ["Milk|||b\na"]), ("[]", []),
        (#"[{"name":" Milk\n","quantity":" 2 kg ","tags":[" a ","a"],"note":"a\r\nb"}]"#, ["Milk|2 kg|a|a\nb"]),
    ])
    func `JSON of other programs is read`(_ text: String, _ items: [String]) throws {
        #expect(try file(text).short == items)
    }

    @Test func `Fields that items do not have are named`() throws {
        let text =
            #"{"owner":"Ana","items":[{"name":"Milk","title":"Cold milk","price":1.2,"id":17,"picture":"p","x":null},"#
            + #"{"name":"Tea","title":"Tea","price":{"eur":3},"tags":[{"a":1}],"id":"18","quantity":[1]}]}"#
        let file = try file(text)
        #expect(file.short == ["Milk|||", "Tea|||"])
        #expect(
            Set(file.leftOutFields.map { "\($0.name) \($0.items)" })
                == ["owner 1", "title 1", "price 2", "id 2", "picture 1", "tags 1", "quantity 1"])
    }

    private static let id = "9B1DEB4D-3B7D-4BAD-9BDD-2B0D7B3DCB6D"

    @Test(arguments: [
        ("[{", "the file is not a JSON array of items"), ("{}", "the file is not"), ("[1]", "the file is not"),
        (#"{"a":["Milk"],"b":["Tea"]}"#, "the file is not"), (#"{"things":[1]}"#, "the file is not"),
        (#"[{"name":"a"},{"name":""}]"#, "item 2: an item needs a name"),
        (#"[{"name":true}]"#, "item 1: an item needs"),
        (#"[{"name":"a","bought":"maybe"}]"#, "item 1: 'maybe' in 'bought' is neither yes nor no"),
        (#"[{"name":"a","name":"b"}]"#, "item 1 has the field 'name' twice"),
        (#"[{"id":"\#(id)","name":"a"},{"id":"\#(id)","name":"b"}]"#, "item 1 ('a') and item 2 ('b') have the same"),
        (
            #"[{"id":"\#(id)","name":"a"},{"id":"\#(id.lowercased())","name":"a"}]"#,
            "item 1 ('a') and item 2 ('a') have"
        ),
        (#"[{"id":7,"name":"a"},{"id":"7","name":"b"}]"#, "item 1 and item 2 have the same identifier, 7"),
    ])
    func `JSON that cannot be read is refused with the item`(_ text: String, _ expected: String) {
        #expect(GroceryError.message { _ = try file(text) }.hasPrefix(expected))
    }

    /// Each of these would write another field, or begin the note.
    @Test(arguments: [
        #""others":["x: 1\nbought: yes"]"#, #""others":["bought: yes"]"#, #""others":["quantity: 5"]"#,
        #""others":["tags: a"]"#, #""others":["picture: /etc/passwd"]"#, #""others":["no field"]"#, #""others":[""]"#,
        #""others":["x: 1\r"]"#, #""others":["x: 1","x: 2\n"]"#, #""bought":true,"others":["bought: no"]"#,
        #""tags":["\nbought: yes","b"],"others":[]"#, #""tags":["a","x\nbought: yes"]"#, #""tags":["a\rb"]"#,
        #""tags":["a,b"]"#, #""quantity":"2\nbought: yes""#, #""quantity":"2\u0085bought: yes""#,
        #""note":"a","quantity":"2\u2028x""#, #""name":"a\nbought: yes""#, #""name":"a\rb""#,
    ])
    func `A line end in a field is refused`(_ field: String) throws {
        let name = field.hasPrefix("\"name\"") ? "" : #""name":"Milk","#
        let text = #"[{"name":"Tea"},{\#(name)\#(field)}]"#
        let read = try? file(text)
        // Blanks and line ends around a tag are none of it.
        if field.hasPrefix(#""tags":["\n"#) {
            #expect(
                read?.items.last?.contents.tags == ["bought: yes", "b"] && read?.items.last?.contents.isBought == false)
        } else {
            #expect(read == nil, "\(text)")
            #expect(GroceryError.message { _ = try file(text) }.hasPrefix("item 2"), "\(text)")
        }
    }

    @Test(arguments: TestLength.seeds(10, long: 100)) func `Exported JSON comes back as it was`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            var items = (0..<4).map { _ in ExportedItem(id: .random(), contents: NastyItem.random(&random)) }
            for index in items.indices {
                items[index].contents.name = ItemText.trimmed(items[index].contents.name)
                items[index].contents.note = ["", "\n\na: b\n", "bought: yes"][Int.random(in: 0..<3, using: &random)]
            }
            let read = try file(ItemsJSON.text(items))
            #expect(read.items.map(\.id) == items.map(\.id) && read.leftOutFields.isEmpty, "seed \(seed)")
            for (read, item) in zip(read.items, items) {
                #expect(Array(read.contents.text.utf8) == Array(item.contents.text.utf8), "seed \(seed)")
                #expect(read.isEqual(item.contents), "seed \(seed)")
            }
        }
    }
}
