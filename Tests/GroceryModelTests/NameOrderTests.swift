// The order of names for people.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import GroceryModel

@Suite struct NameOrderTests {
    /// The names of `sorted-names.txt`, which the test of the page sorts, too.
    private static func names() throws -> [String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "sorted-names.txt")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Compares texts by their scalars: canonically equivalent ones are equal for Swift.
    private static func scalars(_ names: [String]) -> [[UInt32]] { names.map { $0.unicodeScalars.map(\.value) } }

    @Test func `Names are sorted as the shared list has them, whatever their order before`() throws {
        let names = try NameOrderTests.names()
        #expect(names.count > 80)
        for order in [names.reversed(), names.shuffled(), names.shuffled()] {
            #expect(
                NameOrderTests.scalars(order.sorted { NameOrder($0) < NameOrder($1) }) == NameOrderTests.scalars(names))
        }
    }

    @Test func `The order of any two names is decided, and of equal items the identifier decides`() throws {
        let orders = try NameOrderTests.names().map { NameOrder($0) }
        for (index, order) in orders.enumerated() {
            for other in orders[index...].dropFirst() { #expect(order < other && !(other < order) && order != other) }
            #expect(!(order < order))
        }
        let items = (0..<8).map { _ in
            GroceryItem(id: .random(), path: "", summary: ItemSummary(ItemContents(name: "Milk")))
        }
        #expect(items.shuffled().sortedByName().map(\.id) == items.map(\.id).sorted())
    }

    @Test func `Groups of tags stand in the order of names`() throws {
        let tags = ["Zoo", "aisle 10", "Äpfel", "aisle 2", "birne"]
        let items = tags.map { tag in
            var contents = ItemContents(name: "Milk")
            contents.tags = [tag]
            return GroceryItem(id: .random(), path: "", summary: ItemSummary(contents))
        }
        #expect(items.arranged(ListSettings()).map(\.tag) == ["aisle 2", "aisle 10", "Äpfel", "birne", "Zoo"])
    }
}
