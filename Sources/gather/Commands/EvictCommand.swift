// gather evict: frees the copies here of shared items.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct EvictCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict",
        abstract: "Free the copies here of files that another device has.",
        usage: "gather evict [<options>] <path> ...",
        discussion: """
            Each file must be in a shared container, and a connected device must have its present version; otherwise it stays, \
            with the reason. It remains an item of queries, as notDownloaded, with the size and date that it has elsewhere. \
            A directory stands for all files in it.

            The paths of the files are printed. With --json, each is an object with path and bytes.

            EXAMPLES
              gather evict Pictures/2019
              gather find "size > 100000000" --in Videos -0 | xargs -0 gather evict
              gather find "downloadingStatus == 'notDownloaded'"
            """)

    @Argument(help: "Files or directories.", completion: .file())
    var paths: [String]

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var helper: HelperChoice

    mutating func run() throws {
        let places = try paths.map { try SharedPath.absolute($0) }
        var client = try BlockingSharingClient(helper.target)
        var (count, bytes) = (0, 0)
        let json = json
        try client.evict(places) { item in
            guard !item.path.isEmpty else { return }
            (count, bytes) = (count + 1, bytes &+ item.bytes)
            var output = Output()
            if json {
                var line = JSONLine()
                line.add("path", item.path)
                line.add("bytes", item.bytes)
                output.line(line.bytes())
            } else {
                output.line(item.path)
            }
            output.flush()
        }
        guard Terminal.isTerminal(), !json else { return }
        Output.note("\(count) \(count == 1 ? "file" : "files"), \(Readable.size(Int64(bytes))) are free")
    }
}
