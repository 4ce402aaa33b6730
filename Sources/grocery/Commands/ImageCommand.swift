// grocery image: the picture of an item.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel

struct ImageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "image", abstract: "Give an item a picture, or remove it.",
        discussion: """
            The file is copied beside the item. JPEG, PNG, GIF, WebP, HEIC and AVIF are known. The former picture goes to the trash.

            EXAMPLES
              grocery image flour flour.jpg
              grocery image flour --remove
            """)

    @Argument(help: ItemArgument.help)
    var item: String

    @Argument(help: "The file of the picture.")
    var file: String?

    @Flag(help: "Remove the picture.")
    var remove = false

    @OptionGroup var options: ListOptions

    mutating func validate() throws {
        guard (file == nil) == remove else { throw ValidationError("name a file, or --remove") }
    }

    mutating func run() async throws {
        let list = try await options.list()
        let item = try await list.items().named(item)
        let bytes = try file.map { file throws(FileSystem.Failure) in
            try FileSystem.read(file, limit: GroceryLimits.pictureBytes)
        }
        try await list.setPicture(bytes, of: item.id)
        Output.print(["\(item.title) has \(bytes == nil ? "no" : "a") picture"])
    }
}
