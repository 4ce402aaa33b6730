// grocery image: the picture of an item.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel

struct ImageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "image", abstract: "Give an item a picture, or remove it.",
        discussion: """
            A copy lies beside the item, without the place where the picture was taken. JPEG and PNG are turned upright and scaled as \
            on the page. GIF and WebP keep their size. HEIC and AVIF have to be converted first. The former picture goes to the trash.

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
        if let file, let bytes, bytes.count > GroceryLimits.pictureBytes {
            throw Problem(
                "\(DisplayText.escaped(file)) has \(FileSystem.sizeText(file, beyond: GroceryLimits.pictureBytes)), and "
                    + "\(GroceryLimits.pictureBytes) bytes are the most of a picture", status: 64)
        }
        try await list.setPicture(bytes, of: item.id)
        Output.print(["\(item.title) has \(bytes == nil ? "no" : "a") picture"])
    }
}
