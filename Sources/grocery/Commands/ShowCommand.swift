// grocery show: the details of an item.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show all that is known of an item.",
        discussion: """
            The picture is shown in terminals that can, such as kitty, WezTerm and iTerm2.

            EXAMPLES
              grocery show milk
            """)

    @Argument(help: ItemArgument.help)
    var item: String

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let list = try await options.list()
        let item = try await list.items().named(item)
        let contents = try await list.contents(of: item.id)
        var lines = [("name", item.title)]
        if !contents.quantity.isEmpty { lines.append(("quantity", DisplayText.escaped(contents.quantity))) }
        if contents.isBought { lines.append(("bought", "yes")) }
        if !contents.tags.isEmpty {
            lines.append(("tags", contents.tags.map { DisplayText.escaped($0) }.joined(separator: ", ")))
        }
        if let picture = try await list.picturePath(of: item.id) {
            lines.append(("picture", DisplayText.escaped(picture)))
        }
        if item.isInConflict {
            lines.append(("conflict", "\(item.conflictVersions + 1) versions; see: grocery resolve \(item.id.short)"))
        }
        lines += [
            ("identifier", item.id.text), ("modified", item.modified?.localText ?? ""),
            ("owner", item.owner.map { DisplayText.escaped($0) } ?? ""), ("file", DisplayText.escaped(item.path)),
        ]
        Output.print(lines.map { $0.0 + String(repeating: " ", count: 12 - $0.0.count) + $0.1 })
        if !contents.note.isEmpty {
            Output.print(
                [""]
                    + contents.note.split(separator: "\n", omittingEmptySubsequences: false)
                    .map { DisplayText.escaped(String($0)) })
        }
        if let picture = TerminalPicture.supported, let bytes = try await list.picture(of: item.id) {
            Output.write(picture.text(bytes))
        }
    }
}
