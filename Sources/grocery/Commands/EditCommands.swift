// The commands that change items on the list.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel

struct BuyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy", abstract: "Mark items as bought.",
        discussion: """
            EXAMPLES
              grocery buy milk bread
            """)

    @Argument(help: ItemArgument.severalHelp)
    var items: [String]

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try await BoughtMark(isBought: true, verb: "buy").set(items, of: options.list())
    }
}

struct UnbuyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unbuy", abstract: "Mark items as not bought.",
        discussion: """
            EXAMPLES
              grocery unbuy milk
            """)

    @Argument(help: ItemArgument.severalHelp)
    var items: [String]

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try await BoughtMark(isBought: false, verb: "unbuy").set(items, of: options.list())
    }
}

/// The work of both commands.
private struct BoughtMark {
    let isBought: Bool
    /// The name of the change, for `undo`.
    let verb: String

    func set(_ texts: [String], of list: GroceryList) async throws {
        let isBought = isBought
        let items = try await ItemArgument.items(texts, of: list, isBought: !isBought)
        let names = items.map(\.name).joined(separator: ", ")
        try await list.edit(items.map(\.id), "\(verb) \(names)") { $0.isBought = isBought }
        Output.print(items.map { "\($0.title) is \(isBought ? "bought" : "not bought")" })
    }
}

struct RenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give an item another name.",
        discussion: """
            EXAMPLES
              grocery rename milk "Oat milk"
            """)

    @Argument(help: ItemArgument.help)
    var item: String

    @Argument(help: "The new name.")
    var name: String

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try ItemArgument.requireUTF8()
        let name = try ItemText.name(name)
        let list = try await options.list()
        let items = try await list.items()
        let item = try items.named(item)
        try await list.edit([item.id], "rename \(item.name)") { $0.name = name }
        Output.print(["\(item.title) is now \(DisplayText.escaped(name))"])
        if let twin = Twin(ItemContents(name: name), on: items.filter { $0.id != item.id }) {
            Output.note("\(twin.fact), too (\(twin.item.id.short)); to take the new name back: grocery undo")
        }
    }
}

struct TagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Tag an item.",
        discussion: """
            EXAMPLES
              grocery tag rye urgent breakfast
            """)

    @Argument(help: ItemArgument.help)
    var item: String

    @Argument(help: "The tags.")
    var tags: [String]

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try ItemArgument.requireUTF8()
        let typed = try tags.map { text throws(GroceryError) in try ItemText.tag(text) }
        let list = try await options.list()
        let items = try await list.items()
        let (item, tags) = (try items.named(item), items.spelled(typed))
        try await list.edit([item.id], "tag \(item.name)") { $0.tags = ($0.tags + tags).tagsWithoutRepetition }
    }
}

struct UntagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "untag", abstract: "Take tags off an item.",
        discussion: """
            EXAMPLES
              grocery untag rye urgent
            """)

    @Argument(help: ItemArgument.help)
    var item: String

    @Argument(help: "The tags; none means all.")
    var tags: [String] = []

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try ItemArgument.requireUTF8()
        let tags = try tags.map { text throws(GroceryError) in try ItemText.tag(text) }
        let list = try await options.list()
        let item = try await list.items().named(item)
        try await list.edit([item.id], "untag \(item.name)") { contents in
            if let missing = tags.first(where: { !contents.tags.hasTag($0) }) {
                throw Problem("\(item.title) is not tagged '\(DisplayText.escaped(missing))'")
            }
            contents.tags = tags.isEmpty ? [] : contents.tags.filter { !tags.hasTag($0) }
        }
    }
}

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Move items to the trash of the container.",
        discussion: """
            EXAMPLES
              grocery remove milk bread
              grocery remove milk && grocery undo
            """)

    @Argument(help: ItemArgument.severalHelp)
    var items: [String]

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let list = try await options.list()
        let items = try await ItemArgument.items(items, of: list)
        try await list.remove(items.map(\.id))
        Output.print(items.map { "\($0.title) is off the list" })
    }
}

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo the last change that you made on this machine.",
        discussion: """
            Your changes are those of this command and of the full screen. Changes that others made since are kept. Each call \
            undoes one more change, up to \(GroceryLimits.undoSteps).

            EXAMPLES
              grocery undo
              grocery undo --changes
            """)

    @Flag(help: "Show the changes that can be undone, the last one first, and undo nothing.")
    var changes = false

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let list = try await options.list()
        let recorded = try await list.lastChanges()
        if changes { return Output.print(recorded.map { DisplayText.escaped($0.action) }) }
        guard let last = recorded.first, let (action, leftOut) = try await list.undo(last) else {
            throw Problem("there is nothing to undo")
        }
        Output.print(["undone: \(DisplayText.escaped(action))"])
        if !leftOut.isEmpty { throw Problem("not undone: \(leftOut.joined(separator: "; "))") }
    }
}
