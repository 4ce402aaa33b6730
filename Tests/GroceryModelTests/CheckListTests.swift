// Check lists of Markdown.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GroceryModel

@Suite struct CheckListTests {
    private func file(_ text: String) throws -> ImportedFile { try ImportedFile(Array(text.utf8), as: .markdown) }

    @Test func `A check list is read, and other lines are named`() throws {
        let text =
            "# Dairy\r\n\r\n- [ ] Milk\r\n* [x] Eggs \\*large\\*\n  + [X] nested\n1. Tea\n2) Rum\n• Flour\n[ ] Salt\n- [ ]\n---\n- [y] Box\n- [](a)\n"
        let file = try file(text)
        #expect(
            file.short.map { $0.dropLast(3) } == [
                "Milk", "x Eggs *large*", "x nested", "Tea", "Rum", "Flour", "Salt", "[y] Box", "[](a)",
            ])
        #expect(file.leftOutLines == ["line 1: # Dairy", "line 10: - [ ]", "line 11: ---"])
        #expect(GroceryError.message { _ = try self.file("Dear all\n") }.contains("no line of a list"))
        #expect(
            GroceryError.message { _ = try self.file("- Milk\n- a\u{7}b\n") }.hasPrefix("line 2: a name is one line"))
    }
}
