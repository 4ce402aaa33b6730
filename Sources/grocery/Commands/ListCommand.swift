// The commands that show the list.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the list.",
        discussion: """
            EXAMPLES
              grocery list
              grocery list --tag urgent
            """)

    @Option(help: "Only what has this tag.")
    var tag: String?

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let tag = try tag.map { try TagName($0) }
        let items = try await options.list().items(tag: tag)
        Output.print(items.map(\.line))
        if items.isEmpty, Output.isTerminal {
            Output.note(
                tag == nil ? "the list is empty; 'grocery add NAME' puts something on it" : "nothing has that tag")
        }
    }
}

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show all that is known of an item.",
        discussion: """
            EXAMPLES
              grocery show milk
            """)

    @Argument(help: "The item: a part of its name or identifier.")
    var item: String

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let item = try await options.list().items().named(item)
        Output.print(
            [
                "name        \(DisplayText.escaped(item.name))",
                "tags        \(item.tags.map { DisplayText.escaped($0) }.joined(separator: ", "))",
                "identifier  \(item.identifier.text)",
                "modified    \(item.modified?.rfc3339 ?? "")",
                "owner       \(item.owner ?? "")",
                "file        \(DisplayText.escaped(item.path))",
            ])
    }
}
