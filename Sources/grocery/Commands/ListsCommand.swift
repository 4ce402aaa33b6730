// grocery lists: the names of the lists.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel

struct ListsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lists", abstract: "Show the lists of the container with the numbers of their items.",
        discussion: """
            An * marks the one that commands use without --list. The first line is the documents folder itself.

            EXAMPLES
              grocery lists
              grocery list --list Party
            """)

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let (list, _) = try await options.open()
        let lists = try await GroceryList.lists(in: list.container)
        let width = lists.map { "\($0.items)".count }.max() ?? 0
        Output.print(
            lists.map { name, items in
                let count = String(repeating: " ", count: width - "\(items)".count) + "\(items)"
                let title = name.map { DisplayText.escaped($0) } ?? "the documents folder"
                return "\(name == list.listName ? "*" : " ") \(count)  \(title)"
            })
    }
}
