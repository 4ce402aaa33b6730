// grocery list and grocery tags.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel

extension ListSettings.Sorting: ExpressibleByArgument {}

/// The values of `--group`.
enum Grouping: String, ExpressibleByArgument, CaseIterable {
    case tag, none
}

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the list.",
        discussion: """
            Items are grouped by their first tag, and bought ones come last. An x marks a bought item, and an ! one with versions \
            in conflict.

            EXAMPLES
              grocery list
              grocery list --tag urgent
              grocery list --json | jq '.[].name'
            """)

    @Option(help: "Only what has this tag.")
    var tag: String?

    @Option(help: "The order in a group: name or modified; else that of the settings.")
    var sort: ListSettings.Sorting?

    @Option(help: "Group the items by tag, or none; else as the settings say.")
    var group: Grouping?

    @Flag(help: "Print a JSON array with all fields.")
    var json = false

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        var (list, settings) = try await options.open()
        if let sort { settings.sorting = sort }
        if let group { settings.isGrouped = group == .tag }
        var items = try await list.items()
        if let tag {
            let tag = try ItemText.tag(tag)
            items.removeAll { !$0.tags.hasTag(tag) }
        }
        let groups = items.arranged(settings)
        if json {
            let read = try await ReadItems(groups.flatMap(\.items), of: list)
            Output.show(ItemsJSON.text(read.items))
            return try read.requireAll()
        }
        Output.print(ListText.lines(groups))
        if items.isEmpty, Output.isTerminal {
            Output.note(
                tag == nil ? "the list is empty; 'grocery add Milk' puts something on it" : "nothing has that tag")
        }
    }
}

struct TagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags", abstract: "Show the tags with the number of items that have them.",
        discussion: """
            Bought items do not count.

            EXAMPLES
              grocery tags
            """)

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        var counts: [String: Int] = [:]
        let items = try await options.list().items()
        let spellings = items.tagSpellings
        for item in items {
            for tag in item.tags { counts[spellings[ItemText.tagKey(tag)] ?? tag, default: 0] += item.isBought ? 0 : 1 }
        }
        let width = counts.values.map { "\($0)".count }.max() ?? 0
        Output.print(
            counts.sorted { NameOrder($0.key) < NameOrder($1.key) }.map { tag, count in
                String(repeating: " ", count: width - "\(count)".count) + "\(count)  \(DisplayText.escaped(tag))"
            })
        if counts.isEmpty, Output.isTerminal { Output.note("no item has a tag; see: grocery tag --help") }
    }
}
