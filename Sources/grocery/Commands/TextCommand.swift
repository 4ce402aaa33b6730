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
        do {
            mine = try ItemContents(bytes: file.bytes())
            try mine.check()
        } catch {
            // The text is the user's.
            let reason = (error as? GroceryError)?.message ?? "\(error)"
            throw Problem("nothing is saved, since \(reason). Your text is in \(file.path)")
        }
        do {
            switch try await list.put(mine, base: base, for: item.id) {
            case .unchanged: Output.print(["\(item.title) is unchanged"])
            case .saved: Output.print(["\(DisplayText.escaped(mine.name)) is saved"])
            case .merged: Output.print(["\(DisplayText.escaped(mine.name)) is saved, with the changes of others"])
            case .conflict:
                Output.print(["\(DisplayText.escaped(mine.name)) is saved"])
                Output.note("others changed it, too; see: grocery resolve \(item.id.short)")
            }
        } catch {
            Output.note("your text is in \(file.path)")
            throw error
        }
        file.remove()
    }
}
