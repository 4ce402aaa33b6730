// The text that predicates become, and expressions that have none.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Testing

@testable import GatherFoundation

@Suite struct ConversionTests {
    @Test func `Comparisons that the index can look for stand in the open`() throws {
        func expect(_ text: String, _ predicate: Predicate<MetadataItem>) throws {
            #expect(try gatherPredicate(predicate) == text)
        }
        try expect("name == 'x'", #Predicate { $0.name == "x" })
        try expect("name ==[n] 'Kr\u{E8}me'", #Predicate { $0.name == "Kr\u{E8}me" })
        try expect("size > 10", #Predicate { ($0.size ?? 0) > 10 })
        try expect("size > 10 OR size == NIL", #Predicate { ($0.size ?? 11) > 10 })
        try expect("tags CONTAINS 'red'", #Predicate { $0.tags?.contains("red") == true })
        try expect("ANY tags BEGINSWITH[n] 'u'", #Predicate { ($0.tags ?? []).contains { $0.starts(with: "u") } })
        try expect(
            "name BEGINSWITH[n] 'Item_' AND (size == 1 OR size == 2)",
            #Predicate { $0.name?.starts(with: "Item_") == true && ($0.size == 1 || $0.size == 2) })
    }

    @Test func `Every text is quoted so that it reads back`() throws {
        var generator = SampleItems(seed: 7)
        let pieces =
            SampleItems.texts + ["\0", "\n", "\t", "\r", "\u{1}", "\u{7F}", "\\", "\\x41", "'", "\"", "%@", "$x"]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0..<6, using: &generator))
                .map { _ in pieces.randomElement(using: &generator)! }.joined()
            let read = try Language.literal(in: "name ==[n] " + PredicateText.literal(text))
            #expect(read.map { Array($0.utf8) } == Array(text.utf8), "\(Array(text.utf8))")
        }
    }

    @Test func `Expressions that the language lacks are named`() {
        #expect(throws: PredicateConversionError.self) {
            try gatherPredicate(#Predicate<MetadataItem> { $0.name?.count == 3 })
        }
        #expect(throws: PredicateConversionError.self) {
            try gatherPredicate(#Predicate<MetadataItem> { $0.previousPath == "x" })
        }
    }

    @Test func `Numbers without sign are themselves`() throws {
        let large = UInt64.max
        let predicate = try gatherPredicate(#Predicate<MetadataItem> { $0.inode == large })
        #expect(predicate == "inode == 18446744073709551615")
    }

    @Test func `Dates and timestamps tell the same moment`() {
        let moment = Timestamp(seconds: 1_769_850_000, nanoseconds: 500_000_000)
        #expect(Timestamp(Date(moment)) == moment)
        #expect(Timestamp(Date(timeIntervalSince1970: -0.25)) == Timestamp(nanoseconds: -250_000_000))
        #expect(Timestamp(.distantFuture) == Timestamp(nanoseconds: .max))
        #expect(Timestamp(.distantPast) == Timestamp(nanoseconds: .min))
    }

    @Test func `A query takes a predicate`() throws {
        let query = try MetadataQuery(
            #Predicate<MetadataItem> { $0.name == "x" }, scopes: [.container("grocery")],
            daemon: .at(path: "/nowhere"))
        #expect(query.predicate == "name == 'x'")
        #expect(query.scopes == [.container("grocery")])
    }
}
