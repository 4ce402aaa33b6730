// The commands that change the list.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Put items on the list.",
        discussion: """
            EXAMPLES
              grocery add Milk
              grocery add Flour "Rye bread" --tag baking --tag urgent
            """)

    @Argument(help: "The names.")
    var names: [String]

    @Option(name: .customLong("tag"), help: "A tag for each of them. May be repeated.")
    var tags: [String] = []

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try ItemName.requireUTF8Arguments()
        // All are looked at before the first is written.
        let names = try names.map { try ItemName($0) }
        let tags = try tags.map { try TagName($0).text }
        let directory = try await options.list().container.documents()
        for name in names {
            let identifier = ItemIdentifier.random()
            try ItemFile.create(identifier, in: directory, name: name, tags: tags.withoutRepetition)
            Output.print(["\(identifier.text)  \(DisplayText.escaped(name.text))"])
        }
    }
}

struct RenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give an item another name.",
        discussion: """
            EXAMPLES
              grocery rename milk "Oat milk"
            """)

    @Argument(help: "The item: a part of its name or identifier.")
    var item: String

    @Argument(help: "The new name.")
    var name: String

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try ItemName.requireUTF8Arguments()
        let name = try ItemName(name)
        let item = try await options.list().items().named(item)
        try ItemFile.save(name, to: item.path)
        Output.print(["\(DisplayText.escaped(item.name)) is now \(DisplayText.escaped(name.text))"])
    }
}

struct TagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Tag an item.",
        discussion: """
            EXAMPLES
              grocery tag bread urgent breakfast
            """)

    @Argument(help: "The item: a part of its name or identifier.")
    var item: String

    @Argument(help: "The tags.")
    var tags: [String]

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try ItemName.requireUTF8Arguments()
        let tags = try tags.map { try TagName($0).text }
        let item = try await options.list().items().named(item)
        // The file's own tags, which another may have set since the daemon looked.
        try ItemFile.setTags((ItemFile.tags(at: item.path) + tags).withoutRepetition, at: item.path)
    }
}

struct UntagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "untag", abstract: "Take tags off an item.",
        discussion: """
            EXAMPLES
              grocery untag bread urgent
            """)

    @Argument(help: "The item: a part of its name or identifier.")
    var item: String

    @Argument(help: "The tags; none means all.")
    var tags: [String] = []

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try ItemName.requireUTF8Arguments()
        let tags = try tags.map { try TagName($0).text }
        let item = try await options.list().items().named(item)
        let former = try ItemFile.tags(at: item.path)
        if let missing = tags.first(where: { !former.contains($0) }) {
            throw Problem("\(DisplayText.escaped(item.name)) is not tagged '\(DisplayText.escaped(missing))'")
        }
        try ItemFile.setTags(tags.isEmpty ? [] : former.filter { !tags.contains($0) }, at: item.path)
    }
}

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take items off the list.",
        discussion: """
            EXAMPLES
              grocery remove milk bread
            """)

    @Argument(help: "The items: a part of the name or identifier of each.")
    var items: [String]

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let list = try await options.list().items()
        // All are found before the first is removed.
        let found = try items.map { try list.named($0) }
        var removed: Set<String> = []
        for item in found where removed.insert(item.path).inserted {
            try ItemFile.remove(item.path)
            Output.print(["\(DisplayText.escaped(item.name)) is off the list"])
        }
    }
}

extension [String] {
    /// Each once, where it came first.
    var withoutRepetition: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
