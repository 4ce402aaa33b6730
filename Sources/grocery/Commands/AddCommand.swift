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
            comes back. If one is on the list, a terminal is asked whether the sum is meant.

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
        var items = try names.map { text throws(GroceryError) in
            var item = plain ? ItemContents(name: try ItemText.name(text)) : try ItemContents(typed: text)
            item.tags = (item.tags + tags).tagsWithoutRepetition
            item.note = note ?? ""
            try item.check()
            return item
        }
        let list = try await options.list()
        let isNew = try await !list.exists()
        let present = isNew ? [] : try await list.items()
        for index in items.indices { items[index].tags = present.spelled(items[index].tags) }
        let additions = items.map { Addition($0, on: present) }
        var ids = try await list.add(additions.filter(\.isItem).map { ExportedItem(id: nil, contents: $0.typed) })[...]
        if isNew { Output.note("this is the first of the list '\(DisplayText.escaped(list.name))'") }
        for addition in additions {
            if addition.isItem, let id = ids.popFirst() {
                Output.print(["\(id.short)  \(DisplayText.escaped(addition.typed.name))"])
                if let said = addition.said { Output.note(said) }
                continue
            }
            if let twin = addition.twin, addition.choice == .join {
                // Another text of this command may have changed it.
                let item = try await list.items().first { $0.id == twin.item.id } ?? twin.item
                let now = Twin(addition.typed, on: [item]) ?? twin
                try await list.join(now, quantity: now.quantity)
                Output.print(["\(item.id.short)  \(item.title)"])
            }
            if let said = addition.said { Output.note(said) }
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
        /// The fact that the user is told.
        let said: String?

        var isItem: Bool { choice == .item }

        /// Finds the way. A terminal is asked before the list has two items of one name.
        init(_ typed: ItemContents, on present: [GroceryItem]) {
            self.typed = typed
            twin = Twin(typed, on: present)
            guard let twin else {
                (choice, said) = (.item, nil)
                return
            }
            guard !twin.item.isBought else {
                (choice, said) = (.join, "\(twin.item.title) was bought, and is on the list again")
                return
            }
            guard Output.canAsk else {
                let id = twin.item.id.short
                (choice, said) = (.item, "\(twin.fact) already (\(id)); to take the new one back: grocery undo")
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
            said = choice == .nothing ? "\(twin.item.title) stays as it is" : nil
        }
    }
}
