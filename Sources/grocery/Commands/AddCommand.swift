// grocery add: new items.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Put items on the list.",
        discussion: """
            A quantity at the beginning and words that begin with # are read from each text. An item of this name that was bought \
            comes back. If one is on the list, a terminal is asked whether the sum is meant. Earlier texts of the command count, too.

            EXAMPLES
              grocery add Milk
              grocery add "2 kg flour #market" "Rye bread" --tag breakfast
              grocery add --plain "7 Up"
            """)

    @Argument(help: ArgumentHelp("The items, such as \"2 kg flour #market\".", valueName: "name"))
    var names: [String]

    @Option(name: .customLong("tag"), help: "A tag for each of them. May be repeated.")
    var tags: [String] = []

    @Option(help: "A note for each of them.")
    var note: String?

    @Flag(help: "Take each text as the name, as it is.")
    var plain = false

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try ItemArgument.requireUTF8()
        // All items are checked before the first is written.
        let tags = try tags.map { text throws(GroceryError) in try ItemText.tag(text) }
        let (plain, note) = (plain, note)
        let items = try names.map { text throws(GroceryError) in
            var item = plain ? ItemContents(name: try ItemText.name(text)) : try ItemContents(typed: text)
            item.tags = (item.tags + tags).tagsWithoutRepetition
            item.note = note ?? ""
            try item.check()
            return item
        }
        let list = try await options.list()
        let isNew = try await !list.exists()
        // The list as it is after the earlier texts, and the items of these.
        var (present, new) = (isNew ? [] : try await list.items(), [ExportedItem]())
        var broughtBack: Set<ItemIdentifier> = []
        let additions = items.map { item in
            var item = item
            item.tags = present.spelled(item.tags)
            let addition = Addition(item, on: present, broughtBack, isAlone: items.count == 1)
            switch (addition.choice, addition.twin) {
            case (.item, _):
                new.append(ExportedItem(id: addition.id, contents: item))
                present.append(GroceryItem(id: addition.id, path: "", summary: ItemSummary(item)))
            case (.join, let twin?):
                if twin.item.isBought { broughtBack.insert(twin.item.id) }
                if let index = present.firstIndex(where: { $0.id == twin.item.id }) {
                    (present[index].quantity, present[index].isBought) = (twin.quantity, false)
                }
                if let index = new.firstIndex(where: { $0.id == twin.item.id }) {
                    twin.join(&new[index].contents, quantity: twin.quantity)
                }
            default: break
            }
            return addition
        }
        for item in new { try item.contents.check() }
        try await list.add(new)
        if isNew { Output.note("this is the first of the list '\(DisplayText.escaped(list.name))'") }
        let added = Set(new.compactMap(\.id))
        for addition in additions {
            var outcome = PutOutcome.saved
            if let twin = addition.twin, addition.choice == .join, !added.contains(twin.item.id) {
                outcome = try await list.join(twin, quantity: twin.quantity)
            }
            if addition.choice != .nothing {
                Output.print(["\(addition.id.short)  \(addition.title)"])
            }
            if let said = addition.said { Output.note(said) }
            if outcome == .conflict { Output.note("others changed it, too; see: grocery resolve \(addition.id.short)") }
        }
    }

    /// An item that is added, and its way onto the list.
    private struct Addition {
        enum Choice {
            case item, join, nothing
        }

        let typed: ItemContents
        /// The item of this name on the list.
        let twin: Twin?
        let choice: Choice
        /// The identifier of the item that has it afterwards.
        let id: ItemIdentifier
        /// The fact that the user is told.
        let said: String?

        /// The name of the item that has it afterwards, as it is shown.
        var title: String { choice == .join ? twin?.item.title ?? "" : DisplayText.escaped(typed.name) }

        /// Finds the way. A terminal is asked before the list has two items of one name. `isAlone` tells that the command adds no other
        /// item, so that the undo takes back this one.
        init(_ typed: ItemContents, on present: [GroceryItem], _ broughtBack: Set<ItemIdentifier>, isAlone: Bool) {
            self.typed = typed
            twin = Twin(typed, on: present)
            let new = ItemIdentifier.random()
            guard let twin else {
                (choice, id, said) = (.item, new, nil)
                return
            }
            guard !twin.item.isBought else {
                (choice, id) = (.join, twin.item.id)
                said = "\(twin.item.title) was bought, and is on the list again"
                return
            }
            guard Output.canAsk || broughtBack.contains(twin.item.id) else {
                let back = isAlone ? "undo" : "remove \(new.short)"
                (choice, id) = (.item, new)
                said = "\(twin.fact) already (\(twin.item.id.short)); to take the new one back: grocery \(back)"
                return
            }
            guard Output.canAsk else {
                // Earlier texts brought it back, so that the command means one item.
                (choice, id) = (.join, twin.item.id)
                said = "\(twin.fact). Now \(DisplayText.escaped(twin.quantity))"
                return
            }
            let isSame = twin.quantity == twin.item.quantity
            let question =
                isSame
                ? "Add a second one? [y/N]" : "Now \(DisplayText.escaped(twin.quantity))? [Y/n, s for a second one]"
            let answer = Output.ask("\(twin.fact). \(question)")
            switch answer.lowercased() {
            case "y", "yes": choice = isSame ? .item : .join
            case "" where !isSame: choice = .join
            case "s" where !isSame: choice = .item
            default: choice = .nothing
            }
            id = choice == .item ? new : twin.item.id
            said = choice == .nothing ? "\(twin.item.title) stays as it is" : nil
        }
    }
}
