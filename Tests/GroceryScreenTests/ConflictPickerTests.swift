// The choice between versions in conflict.
// SPDX-License-Identifier: Apache-2.0

import GroceryModel
import Testing

@testable import GroceryScreen

struct ConflictPickerTests {
    private let mine = Samples.contents("Milk") {
        $0.quantity = "1 l"; $0.tags = ["bio"]
    }
    private let theirs = Samples.contents("Oat milk") {
        $0.quantity = "1 l"; $0.tags = ["market"]
    }

    private func model() -> ScreenModel {
        var model = Samples.model([Samples.item(1, "Milk", conflictVersions: 1)])
        model.type("c")
        model.receive(.details(model.wantedDetails!, .success(details)))
        return model
    }

    private var details: ItemDetails {
        ItemDetails(
            contents: mine,
            versions: [
                Samples.version(0, mine, device: "laptop"),
                Samples.version(1, theirs, device: "phone"),
            ])
    }

    private func resolution(_ model: inout ScreenModel) -> Resolution? {
        for case .resolve(_, let resolution) in model.takeWork().map(\.1) { return resolution }
        return nil
    }

    @Test func `The versions are shown with device and date and the fields that differ`() {
        let lines = model().lines
        #expect(lines.contains { $0.contains("A 20") && $0.contains("laptop, current") })
        #expect(lines.contains { $0.contains("B 20") && $0.contains("phone") })
        #expect(
            lines.contains(">(*) A Milk") && lines.contains(" ( ) B Oat milk") && lines.contains(" ( ) + #bio #market"))
        #expect(!lines.contains("Quantity"))
    }

    @Test func `A letter keeps one version and plus keeps all`() {
        var one = model()
        one.type("b")
        guard case .version(let version) = resolution(&one) else {
            Issue.record("no version is kept")
            return
        }
        #expect(version.contents == theirs && one.isInList)
        var all = model()
        all.type("+")
        guard case .both = resolution(&all) else {
            Issue.record("not all are kept")
            return
        }
    }

    @Test func `Chosen fields are merged`() {
        var model = model()
        model.press(.down)
        model.type(" ")
        for _ in 0..<3 { model.press(.down) }
        model.type(" \n")
        guard case .merged(let contents) = resolution(&model) else {
            Issue.record("nothing is merged")
            return
        }
        #expect(contents.name == "Oat milk" && contents.quantity == "1 l" && contents.tags == ["bio", "market"])
    }

    @Test func `Choices that make one version keep that version`() {
        var model = model()
        model.type("\n")
        guard case .version(let version) = resolution(&model) else {
            Issue.record("no version is kept")
            return
        }
        #expect(version.isCurrent)
    }

    @Test func `A choice stays when the versions are read again`() {
        var model = model()
        model.press(.down)
        model.type(" ")
        model.receive(.list(.changed([Samples.item(1, "Milk", time: 9, conflictVersions: 1)], removed: [])))
        model.receive(.details(model.wantedDetails!, .success(details)))
        #expect(model.lines.contains(">(*) B Oat milk"))
    }

    @Test func `The choice ends when the conflict was resolved elsewhere`() {
        var model = model()
        model.receive(.list(.changed([Samples.item(1, "Milk", time: 9)], removed: [])))
        model.receive(.details(model.wantedDetails!, .success(ItemDetails(contents: mine, versions: []))))
        #expect(model.isInList && model.message?.text == "The conflict is resolved already")
        var removed = self.model()
        removed.receive(.list(.items([])))
        #expect(removed.isInList)
    }

    @Test func `An item without a conflict has no choice`() {
        var model = Samples.model(Samples.three)
        model.type("c")
        #expect(model.isInList && model.message?.text == "Apples is not in conflict")
    }
}
