// grocery add: new items.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Put items on the list.",
        discussion: """
            A quantity at the beginning and words that begin with # are read from each text.

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
            item.tags = (item.tags + tags).withoutRepetition
            item.note = note ?? ""
            try item.check()
            return item
        }
        let list = try await options.list()
        let isNew = try await !list.exists()
        let present = isNew ? [] : try await list.items()
        let ids = try await list.add(items.map { ExportedItem(id: nil, contents: $0) })
        if isNew { Output.note("this is the first of the list '\(DisplayText.escaped(list.name))'") }
        for (item, id) in zip(items, ids) {
            Output.print(["\(id.short)  \(DisplayText.escaped(item.name))"])
            let key = item.name.lowercased()
            if let twin = present.first(where: { !$0.isBought && $0.name.lowercased() == key }) {
                Output.note(
                    "\(twin.title) is on the list already (\(twin.id.short)); to take the new one back: grocery undo")
            }
        }
    }
}
