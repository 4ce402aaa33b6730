// grocery convert, import, export and settings.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import Glibc
internal import GroceryModel

struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Change a list from a folder into a package or back, or rename it.",
        discussion: """
            All files are moved, with pictures and conflict versions. If it is interrupted, the same command moves the rest. The new list \
            becomes the one that other commands use. After a change of name, start running pages and full screens again.

            EXAMPLES
              grocery convert --to-package Party
              grocery convert --to-folder Party
              grocery convert --to-documents
            """)

    @Option(help: ArgumentHelp("Make it the package NAME.gro.", valueName: "name"))
    var toPackage: String?

    @Option(help: ArgumentHelp("Make it the folder NAME.", valueName: "name"))
    var toFolder: String?

    @Flag(help: "Put the items into the documents folder itself.")
    var toDocuments = false

    @OptionGroup var options: ListOptions

    mutating func validate() throws {
        guard (toPackage != nil ? 1 : 0) + (toFolder != nil ? 1 : 0) + (toDocuments ? 1 : 0) == 1 else {
            throw ValidationError("name one of --to-package, --to-folder and --to-documents")
        }
    }

    mutating func run() async throws {
        let opened = try await options.open()
        let list = try await opened.list.converted(to: toPackage ?? toFolder, isPackage: toPackage != nil)
        var settings = opened.settings
        settings.list = list.listName
        try await settings.write(list.container)
        Output.print([
            "the list is now \(list.isPackage ? "the package" : "the folder") \(DisplayText.escaped(list.name))"
        ])
    }
}

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the list for other programs.",
        discussion: """
            json has all fields but the pictures' bytes. todo is todo.txt, with the name, quantity, tags and the mark of a bought \
            item. It also has the dates and the priority that came from there.

            EXAMPLES
              grocery export > list.json
              grocery export --format todo > todo.txt
            """)

    @Option(help: "json or todo.")
    var format = ExportFormat.json

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let list = try await options.list()
        let read = try await ReadItems(try await list.items().sortedByName(), of: list)
        let items = read.items
        switch format {
        case .json: Output.show(ItemsJSON.text(items))
        case .todo:
            Output.show(TodoText.text(items.map(\.contents)))
            let lost = items.flatMap { TodoText.lost($0.contents) }
            for (field, name) in [
                (ItemField.note, "notes"), (.picture, "pictures"), (.others, "lines of other programs"),
            ] {
                let count = lost.count { $0 == field }
                if count > 0 {
                    Output.note("todo.txt has no \(name), and \(count == 1 ? "one is" : "\(count) are") left out")
                }
            }
        }
        try read.requireAll()
    }
}

enum ExportFormat: String, ExpressibleByArgument, CaseIterable {
    case json, todo
}

extension ImportFormat: ExpressibleByArgument {}

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Put the items of a file on the list.",
        discussion: """
            The file is JSON, todo.txt, CSV with a header or a check list of Markdown. Fields that items do not have, and lines that \
            are none, are named and left out. If an item cannot be saved, nothing is. An item that is on the list already is left \
            out: one with its identifier, or with the same values in all fields of the file. The whole import is one change for \
            'grocery undo'. One that is too large to be undone says so before it begins.

            EXAMPLES
              grocery import list.json
              grocery import groceries.csv
              grocery import --format todo < todo.txt
            """)

    @Argument(help: "The file; standard input without one.")
    var file: String?

    @Option(help: "json, todo, csv or markdown; else by the contents and the name of the file.")
    var format: ImportFormat?

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let bytes = try FileSystem.read(file, limit: ImportCommand.maximumBytes)
        guard bytes.count <= ImportCommand.maximumBytes else {
            throw Problem("the file has more than \(ImportCommand.maximumBytes) bytes")
        }
        let read = try ImportedFile(bytes, as: format ?? ImportFormat(guessing: bytes, name: file))
        let result = try await options.list().importing(read.items) { result in
            let count = result.added.count
            let warning =
                (count == 1 ? "this item is too large" : "these \(count) items are too many")
                + " to be taken back with 'grocery undo'"
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return Output.note(warning) }
            guard Output.confirm("\(warning). Import \(count == 1 ? "it" : "them")?") else {
                throw Problem("nothing was imported")
            }
        }
        let here = read.items.count - result.added.count
        Output.print([
            (result.added.count == 1 ? "1 item is" : "\(result.added.count) items are") + " on the list now"
                + (here == 0 ? "" : "; \(here) \(here == 1 ? "was" : "were") there already")
        ])
        if !read.leftOutFields.isEmpty {
            let fields = read.leftOutFields.map { name, items in
                "\(DisplayText.escaped(name)) (\(items == 1 ? "1 value" : "\(items) values"))"
            }
            Output.note("left out, since items have no such fields: \(ImportCommand.some(fields))")
        }
        if !read.leftOutLines.isEmpty {
            let lines = read.leftOutLines.map { DisplayText.escaped($0) }
            Output.note("left out, since these are no lines of a list: \(ImportCommand.some(lines))")
        }
        if !result.different.isEmpty {
            Output.note(
                "on the list with other contents than in the file, and left as they are: "
                    + ImportCommand.some(result.different.map(ImportCommand.named)))
        }
        if !result.namesakes.isEmpty {
            Output.note(
                "on the list already under the same name, with other contents: "
                    + "\(ImportCommand.some(result.namesakes.map(ImportCommand.named))); to take the import back: grocery undo"
            )
        }
    }

    private static func named(_ item: GroceryItem) -> String { "\(item.title) (\(item.id.short))" }

    /// Returns the first texts, and the number of the others.
    private static func some(_ texts: [String]) -> String {
        texts.prefix(mostNamed).joined(separator: ", ")
            + (texts.count > mostNamed ? " and \(texts.count - mostNamed) more" : "")
    }

    /// The most fields, lines or items in a message.
    private static let mostNamed = 10
    /// The most bytes of an imported file.
    private static let maximumBytes = 64 << 20
}

struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show or change your settings for the lists of a container.",
        discussion: """
            They lie in the container, so that they follow you to your other machines.

            EXAMPLES
              grocery settings
              grocery settings --sort modified --group none
              grocery settings --use Party
              grocery settings --use ''
            """)

    @Option(help: "The order in a group: name or modified.")
    var sort: ListSettings.Sorting?

    @Option(help: "Group the items by tag, or none.")
    var group: Grouping?

    @Option(
        help: ArgumentHelp(
            "The list that commands use without --list; empty for the documents folder.", valueName: "name"))
    var use: String?

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        var (list, settings) = try await options.open()
        let former = settings
        if let sort { settings.sorting = sort }
        if let group { settings.isGrouped = group == .tag }
        if let use {
            list = try GroceryList(container: list.container, list: use.isEmpty ? nil : use)
            if try await !list.exists() {
                Output.note("there is no list '\(DisplayText.escaped(use))' yet; the first item that is added makes it")
            }
            settings.list = list.listName
        }
        if settings != former { try await settings.write(list.container) }
        Output.print([
            "list   \(settings.list.map { DisplayText.escaped($0) } ?? "the documents folder")",
            "sort   \(settings.sorting.rawValue)", "group  \(settings.isGrouped ? "tag" : "none")",
        ])
    }
}
