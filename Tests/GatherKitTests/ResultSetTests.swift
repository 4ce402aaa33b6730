// Order, value lists and groups of results while these change, held against making each anew.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import TestSupport
import Testing
import Varlink

@testable import GatherKit

/// Natural order as a person would do it: piece by piece, numbers as numbers, letters without their case, then as it is.
private func naturally(_ a: String, _ b: String) -> Bool {
    func pieces(_ text: String) -> [(text: String, isNumber: Bool)] {
        var pieces: [(text: String, isNumber: Bool)] = []
        for character in text {
            let isNumber = character.isNumber
            if isNumber, pieces.last?.isNumber == true {
                pieces[pieces.count - 1].text.append(character)
            } else {
                pieces.append((String(character), isNumber))
            }
        }
        return pieces
    }
    let (first, second) = (pieces(a), pieces(b))
    for (x, y) in zip(first, second) {
        if x.isNumber, y.isNumber, let left = Int(x.text), let right = Int(y.text) {
            if left != right { return left < right }
        } else {
            // A number stands where its digits do.
            let left = x.isNumber ? "0" : x.text.lowercased()
            let right = y.isNumber ? "0" : y.text.lowercased()
            if left != right { return left < right }
        }
    }
    if first.count != second.count { return first.count < second.count }
    return a < b
}

@Suite struct ResultSetTests {
    private struct Sample: Hashable {
        var id: MetadataItem.ID
        var name: String
        var size: Int64?
        var tags: [String]

        var item: MetadataItem {
            var json = "{\"id\":\"\(id)\",\"name\":\"\(name)\",\"path\":\"/c/\(name)\""
            if let size { json += ",\"size\":\(size)" }
            if !tags.isEmpty { json += ",\"tags\":[" + tags.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
            let item: Item = try! JSONBytes(json + "}").decode()
            return MetadataItem(item)
        }
    }

    private static func isBefore(_ a: Sample, _ b: Sample, _ keys: [SortKey]) -> Bool? {
        for key in keys {
            var answer: Bool?
            switch key.attribute {
            case .name where a.name != b.name: answer = naturally(a.name, b.name)
            case .size where a.size != b.size:
                answer = a.size == nil ? true : b.size == nil ? false : a.size! < b.size!
            default: break
            }
            if let answer { return answer == key.ascending }
        }
        return nil
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func followsEveryChange(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let choices: [[SortKey]] = [
            [], [SortKey(.name)], [SortKey(.size, ascending: false), SortKey(.name)],
            [SortKey(.size), SortKey(.name, ascending: false)],
        ]
        let keys = choices[Int(seed) % choices.count]
        let arrangement = ResultArrangement(
            sortKeys: keys, valueListAttributes: [.tags, .size], groupingAttributes: [.tags, .size])
        var set = ResultSet(arrangement)
        // In the order of arrival.
        var model: [Sample] = []
        var made = 0
        let names = ["a", "A", "a2", "a10", "a02", "B1", "b", "10", "9", "x9y1", "x10y0", ".h", "_"]
        func sample(_ id: MetadataItem.ID) -> Sample {
            Sample(
                id: id, name: names.randomElement(using: &random)!,
                size: [nil, 0, 1, 5, 70_000].randomElement(using: &random)!,
                tags: [[], ["red"], ["red", "blue"], ["blue"]].randomElement(using: &random)!)
        }
        for round in 0..<60 {
            var changes = QueryChanges()
            // Now and then so many that the order is made anew.
            for _ in 0..<(round % 10 == 9 ? 300 : Int.random(in: 0...6, using: &random)) {
                let choice = Int.random(in: 0..<3, using: &random)
                if choice == 0 || model.isEmpty {
                    let new = sample(MetadataItem.ID(rawValue: "i\(made)"))
                    made += 1
                    model.append(new)
                    changes.added.append(new.item)
                } else {
                    let index = Int.random(in: 0..<model.count, using: &random)
                    let id = model[index].id
                    // Each item once in one set of changes.
                    if (changes.added + changes.changed).contains(where: { $0.id == id }) { continue }
                    if choice == 1 {
                        model[index] = sample(id)
                        changes.changed.append(model[index].item)
                    } else {
                        changes.removed.append(RemovedItem(id: id, filePath: ""))
                        model.remove(at: index)
                    }
                }
            }
            set.apply(changes)
            if round % 4 == 3 { continue }
            let expected = model.enumerated().sorted { a, b in
                ResultSetTests.isBefore(a.element, b.element, keys) ?? (a.offset < b.offset)
            }.map(\.element)
            #expect(set.arranged().map(\.id) == expected.map(\.id), "seed \(seed), round \(round)")
            #expect(set.items.map(\.id) == model.map(\.id), "seed \(seed), round \(round)")
            try hold(&set, to: model, expected, "seed \(seed), round \(round)")
        }
    }

    private func hold(
        _ set: inout ResultSet, to model: [Sample], _ ordered: [Sample], _ place: Comment
    ) throws {
        let tags = try #require(set.valueLists[.tags])
        var counts: [MetadataValue: Int] = [:]
        for sample in model {
            if sample.tags.isEmpty { counts[.none, default: 0] += 1 }
            for tag in sample.tags { counts[.string(tag), default: 0] += 1 }
        }
        #expect(Dictionary(uniqueKeysWithValues: tags.map { ($0.value, $0.count) }) == counts, place)
        #expect(tags.map(\.count) == tags.map(\.count).sorted(by: >), place)
        let groups = set.groups()
        #expect(Set(groups.map(\.value)) == Set(counts.keys), place)
        for group in groups {
            let members = ordered.filter {
                group.value == .none ? $0.tags.isEmpty : $0.tags.contains { .string($0) == group.value }
            }
            #expect(group.results.map(\.id) == members.map(\.id), place)
            for subgroup in group.subgroups {
                let size: Int64? = if case .integer(let size) = subgroup.value { size } else { nil }
                #expect(subgroup.results.map(\.id) == members.filter { $0.size == size }.map(\.id), place)
            }
            #expect(group.subgroups.reduce(0) { $0 + $1.results.count } == members.count, place)
        }
    }

    /// As the daemon tells them apart: by their bytes.
    @Test func textsThatLookAlikeAreTwoValues() {
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        var set = ResultSet(ResultArrangement(valueListAttributes: [.tags], groupingAttributes: [.tags]))
        let samples = [
            Sample(id: "a", name: "a", tags: [composed]), Sample(id: "b", name: "b", tags: [decomposed]),
            Sample(id: "c", name: "c", tags: [composed, decomposed]),
        ]
        set.apply(QueryChanges(added: samples.map(\.item)))
        #expect(set.valueLists[.tags]?.map(\.count) == [2, 2])
        #expect(set.groups().map { $0.results.map(\.id) } == [["b", "c"], ["a", "c"]])
        set.apply(QueryChanges(removed: [RemovedItem(id: "b", filePath: ""), RemovedItem(id: "c", filePath: "")]))
        #expect(
            set.valueLists[.tags]?.map { Array("\($0.value)".utf8) } == [
                Array("\(MetadataValue.string(composed))".utf8)
            ])
    }

    @Test func anotherArrangementShowsTheSameItems() {
        var set = ResultSet()
        let samples = [("a", "z", 1), ("b", "y", 2), ("c", "x", 3)].map {
            Sample(id: $0.0, name: $0.1, size: Int64($0.2), tags: [])
        }
        set.apply(QueryChanges(added: samples.map(\.item)))
        #expect(set.arranged().map(\.id) == ["a", "b", "c"])
        set.arrange(ResultArrangement(sortKeys: [SortKey(.name)], valueListAttributes: [.size]))
        #expect(set.arranged().map(\.id) == ["c", "b", "a"])
        #expect(set.valueLists[.size]?.map(\.value) == [.integer(1), .integer(2), .integer(3)])
        #expect(set.groups().isEmpty)
    }

    /// The requested attributes serve an arrangement by some of them, in any order.
    @Test func anArrangementThatNeedsNothingNewAsksNothingNew() {
        func configuration(_ keys: [SortKey], _ attributes: [Attribute] = [.kind]) -> QueryConfiguration {
            QueryConfiguration(
                predicate: "", scopes: [], attributes: attributes, batchingInterval: .zero,
                arrangement: ResultArrangement(sortKeys: keys))
        }
        let both = configuration([SortKey(.size), SortKey(.modified)])
        #expect(configuration([SortKey(.modified), SortKey(.size)]).asksTheSame(as: both))
        #expect(configuration([SortKey(.modified, ascending: false)]).asksTheSame(as: both))
        #expect(configuration([]).asksTheSame(as: both))
        #expect(!both.asksTheSame(as: configuration([SortKey(.modified)])))
        #expect(!configuration([], [.size]).asksTheSame(as: both))
    }
}
