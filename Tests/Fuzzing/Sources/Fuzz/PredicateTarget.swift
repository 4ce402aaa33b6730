// The predicate parser: a predicate that it takes is printed, reads back the same, and answers the same.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage

enum PredicateTarget: FuzzTarget {
    private static let object = MetadataValue.dictionary([
        "a": .integer(.min), "name": .string("Item_é1.txt"), "size": .integer(12),
        "tags": .array([.string("x"), .none]),
        "ratio": .number(0.5), "hidden": .boolean(false),
    ])
    private static let item = Item()

    static func test(_ bytes: UnsafeRawBufferPointer) {
        for mode in [Predicate.Mode.objects, .metadata] {
            let predicate: Predicate
            do throws(PredicateError) {
                predicate = try Predicate(parsing: Array(bytes), mode: mode)
            } catch {
                expect((0...bytes.count).contains(error.position), "the error lies outside of the text: \(error)")
                continue
            }
            let text = predicate.canonical
            do throws(PredicateError) {
                let again = try Predicate(parsing: text, mode: mode)
                expect(again.root == predicate.root, "another predicate: \(text)")
                expect(again.canonical == text, "printed otherwise: \(text)\n\(again.canonical)")
                if !predicate.followsClock, !text.contains("random") {
                    expect(answer(predicate, mode) == answer(again, mode), "answered otherwise: \(text)")
                }
            } catch {
                fatalError("does not read back: \(text): \(error)")
            }
        }
    }

    private static func answer(_ predicate: Predicate, _ mode: Predicate.Mode) -> Bool? {
        mode == .objects ? try? predicate.evaluate(on: object) : try? predicate.evaluate(on: item)
    }

    /// An item of the index, without the index.
    private struct Item: AttributeValues {
        private let values: [Attribute: MetadataValue] = [
            .name: .string("Item_é1.txt"), .path: .string("/srv/Documents/Item_é1.txt"), .size: .integer(12),
            .kind: .string("file"), .tags: .array([.string("x")]), .hidden: .boolean(false),
            .modified: .date(Timestamp(seconds: 1_769_904_000, nanoseconds: 5)),
        ]

        func value(of attribute: Attribute) -> MetadataValue { values[attribute] ?? .none }

        func withText<Result>(
            of attribute: Attribute, _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
        ) throws(EvaluationError) -> Result {
            guard case .string(let text) = value(of: attribute) else { return try body(nil) }
            return try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(EvaluationError) in
                try body(UnsafeRawBufferPointer(bytes))
            }
        }
    }
}
