// grocery edit: an item in an editor.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import Glibc
internal import GroceryModel

struct TextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Edit an item as text in your editor.",
        discussion: """
            The editor is VISUAL, else EDITOR, else vi. The name is on the first line, lines such as 'quantity: 2 kg' follow, and \
            after an empty line the note. Changes that others save meanwhile are merged.

            EXAMPLES
              grocery edit flour
              EDITOR=nano grocery edit flour
            """)

    @Argument(help: ItemArgument.help)
    var item: String

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        try ItemArgument.requireUTF8()
        let list = try await options.list()
        let item = try await list.items().named(item)
        let base = try await list.contents(of: item.id)
        let file = try EditedFile(base.text)
        try file.edit()
        let mine: ItemContents
        var bytes: [UInt8]?
        do {
            let read = try file.bytes()
            bytes = read
            mine = try ItemContents(edited: read, base: base)
        } catch {
            // The text is the user's.
            let reason = (error as? GroceryError)?.message ?? "\(error)"
            throw Problem("nothing is saved, since \(reason)\(file.place(bytes))")
        }
        do {
            switch try await put(mine, base, item, list) {
            case .unchanged: Output.print(["\(item.title) is unchanged"])
            case .saved: Output.print(["\(DisplayText.escaped(mine.name)) is saved"])
            case .merged: Output.print(["\(DisplayText.escaped(mine.name)) is saved, with the changes of others"])
            case .conflict:
                Output.print(["\(DisplayText.escaped(mine.name)) is saved"])
                Output.note("others changed it, too; see: grocery resolve \(item.id.short)")
            }
        } catch {
            if FileSystem.keepText(bytes, at: file.path) { Output.note("your text is in \(file.path)") }
            throw error
        }
        file.remove()
    }

    /// Saves the text. Asks whether an item comes back that was removed meanwhile.
    private func put(
        _ mine: ItemContents, _ base: ItemContents, _ item: GroceryItem, _ list: GroceryList
    ) async throws -> PutOutcome {
        do {
            return try await list.put(mine, base: base, for: item.id)
        } catch let error as GroceryError where error.code == .removed {
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1,
                Output.confirm("\(error.message). Bring it back with your changes?")
            else { throw error }
            let isBack = try await list.bringBack(item.id)
            return try await list.put(mine, base: isBack ? base : nil, for: item.id)
        }
    }
}
