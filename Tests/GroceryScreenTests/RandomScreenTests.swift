// Random keys and news, against a naive list.
// SPDX-License-Identifier: Apache-2.0

import GroceryModel
import TestSupport
import Testing

@testable import GroceryScreen

struct RandomScreenTests {
    private static let keys: [Key] = [
        .enter, .escape, .backspace, .delete, .tab, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .help,
        .wheelUp, .wheelDown, .pasteBegin, .pasteEnd, .control("a"), .control("k"), .control("l"), .control("w"),
    ]
    private static let characters = Array("aaa/ bsgrntTcdeuR?q+#日é\u{301}xyz1".unicodeScalars)
    private static let names = [
        "Apples", "日本茶", "Cafe\u{301}", "x\u{1B}[2J", "Milk", "", String(repeating: "long ", count: 40),
    ]

    private func item(_ number: Int, _ random: inout SeededGenerator) -> GroceryItem {
        Samples.item(
            number, RandomScreenTests.names.randomElement(using: &random) ?? "",
            quantity: Bool.random(using: &random) ? "1 kg" : "",
            isBought: Bool.random(using: &random), tags: ["", "a", "日"].filter { _ in Bool.random(using: &random) },
            time: Int64.random(in: 0...5, using: &random), conflictVersions: Int.random(in: 0...2, using: &random))
    }

    private func key(_ random: inout SeededGenerator) -> Key {
        switch Int.random(in: 0...9, using: &random) {
        case 0...5: .character(RandomScreenTests.characters.randomElement(using: &random) ?? "a")
        case 6:
            .click(column: Int.random(in: -1...90, using: &random), line: Int.random(in: -1...30, using: &random))
        default: RandomScreenTests.keys.randomElement(using: &random) ?? .enter
        }
    }

    private func event(
        _ all: inout [ItemIdentifier: GroceryItem], _ random: inout SeededGenerator
    ) -> ScreenEvent {
        switch Int.random(in: 0...9, using: &random) {
        case 0: return .list(.away(reason: "away"))
        case 1:
            all = [:]
            for number in 0..<Int.random(in: 0...30, using: &random) {
                let item = item(number, &random)
                all[item.id] = item
            }
            return .list(.items(Array(all.values)))
        case 2: return .ended("gone")
        default:
            let changed = item(Int.random(in: 0...40, using: &random), &random)
            let removed = Samples.identifier(Int.random(in: 41...80, using: &random))
            let other = all.keys.min()
            all[changed.id] = changed
            let gone = [removed] + (Bool.random(using: &random) && other != changed.id ? [other].compactMap { $0 } : [])
            for id in gone { all[id] = nil }
            return .list(.changed([changed], removed: gone))
        }
    }

    /// Answers a request as a list would, or with a failure.
    private func answer(_ number: Int, _ work: ScreenWork, _ random: inout SeededGenerator) -> ScreenEvent {
        if Bool.random(using: &random) { return .finished(number, .failure(ScreenFailure(message: "failed"))) }
        var outcome = WorkOutcome()
        if case .openForEditing = work { outcome.opened = Samples.contents("x") }
        if case .add = work { outcome.added = Samples.identifier(Int.random(in: 0...40, using: &random)) }
        return .finished(number, .success(outcome))
    }

    @Test(arguments: 0..<4)
    func `Random keys never trap, and the selection is an item that is shown`(_ trial: Int) {
        let seed = TestLength.seed(UInt64(trial) + 1)
        var random = SeededGenerator(seed: seed)
        var all: [ItemIdentifier: GroceryItem] = [:]
        var model = Samples.model(nil)
        var open: [(Int, ScreenWork)] = []
        for step in 0..<1_500 {
            let place: String = "seed \(seed) trial \(trial) step \(step)"
            switch Int.random(in: 0...9, using: &random) {
            case 0: model.receive(event(&all, &random))
            case 1 where !open.isEmpty:
                let (number, work) = open.removeFirst()
                model.receive(answer(number, work, &random))
            case 2:
                model.resize(
                    width: Int.random(in: 0...100, using: &random), height: Int.random(in: 0...30, using: &random))
            case 3:
                if let wanted = model.wantedDetails {
                    let contents = Samples.contents("n")
                    let versions = (0..<wanted.item.conflictVersions + 1).map {
                        Samples.version($0, Samples.contents("n\($0)"), device: "d")
                    }
                    model.receive(.details(wanted, .success(ItemDetails(contents: contents, versions: versions))))
                }
            default: model.press(key(&random))
            }
            for request in model.takeRequests() {
                switch request {
                case .work(let number, let work): open.append((number, work))
                case .edit(let id, _): model.receive(.edited(id, .unchanged))
                default: break
                }
            }
            if step % 5 == 0 { _ = model.draw() }
            let words = model.filter.text.lowercased().split(whereSeparator: \.isWhitespace)
            let expected = all.values.filter { item in
                words.allSatisfy { word in
                    let tags = item.tags.map { $0.lowercased() }
                    if word == "#" { return true }
                    if word.first == "#" { return tags.contains { $0.hasPrefix(word.dropFirst()) } }
                    return (tags + [item.name.lowercased(), item.quantity.lowercased()]).contains { $0.contains(word) }
                }
            }
            let shown = Set(model.rows.compactMap(\.id))
            let isRight = model.items == nil ? shown.isEmpty : shown == Set(expected.map(\.id))
            #expect(isRight, "\(place)")
            let selection = model.selection
            let isValid =
                selection.map { id in model.rows[model.selectedIndex].id == id } ?? shown.isEmpty
            #expect(isValid, "\(place)")
            #expect(Set(open.map(\.0)) == Set(model.pending.keys), "\(place)")
            guard isRight, isValid else { return }
        }
    }

    /// Each text is typed, and each save fails or not. A text is saved, or it is in the prompt or waits for it.
    @Test func `No text is lost however saves fail`() {
        let seed = TestLength.seed(1)
        var random = SeededGenerator(seed: seed)
        var model = Samples.model(Samples.three)
        var open: [(Int, ScreenWork)] = []
        var saved: Set<String> = []
        var typed: Set<String> = []
        for step in 0..<2_000 {
            if Bool.random(using: &random), model.prompt?.line.isEmpty != false {
                if model.prompt == nil { model.type("a") }
                let text = "item\(step)"
                typed.insert(text)
                model.type(text + (Bool.random(using: &random) ? "\n" : ""))
            } else if model.prompt?.line.isEmpty == false {
                model.type("\n")
            }
            open += model.takeWork()
            if Bool.random(using: &random), !open.isEmpty {
                let (number, work) = open.removeFirst()
                let fails = Int.random(in: 0...2, using: &random) == 0
                if case .add(let text) = work, !fails { saved.insert(text) }
                model.receive(
                    .finished(number, fails ? .failure(ScreenFailure(message: "no")) : .success(WorkOutcome())))
            }
            #expect(typed.subtracting(saved) == Set(model.unsavedTexts), "seed \(seed) step \(step)")
        }
    }
}
