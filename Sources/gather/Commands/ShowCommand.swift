// gather show: every attribute of files.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print every attribute of files.",
        usage: "gather show [<options>] <path> ...",
        discussion: """
            The layout is that of mdls: one 'name = value' a line, lists in parentheses, (null) for a missing value, and each \
            extended attribute as xattr.NAME. A symbolic link is shown itself.

            EXAMPLES
              gather show notes.txt
              gather show Documents/*.pdf --attributes name,size,tags
              gather show . --json | jq .modified
              gather show notes.txt --embedded           without a daemon
            """)

    @Argument(help: ArgumentHelp("The files.", valueName: "path"), completion: .file())
    var paths: [String]

    @Option(
        name: .customLong("attributes"),
        help: ArgumentHelp("Print these attributes: a,b,c. May be repeated.", valueName: "names"),
        completion: Completions.attributes, transform: { try AttributeList($0) })
    var attributeLists: [AttributeList] = []

    /// The attributes of all lists; nil without `--attributes`.
    var attributes: AttributeList? { AttributeList(attributeLists) }

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(name: .customLong("no-sync"), help: "Answer at once with what is known, while containers are being read.")
    var withoutSync = false

    @OptionGroup var daemon: ConnectionOptions
    @OptionGroup var embedding: EmbeddedOptions

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            """
            With --embedded: read this directory and all below it. May be repeated. Without it, the directories of the files \
            are read, and nothing below them.
            """,
            valueName: "dir"))
    var directories: [String] = []

    mutating func validate() throws {
        if !embedding.embedded, !directories.isEmpty {
            throw ValidationError("--in goes with --embedded; a daemon finds the files wherever they are.")
        }
    }

    mutating func run() throws {
        if embedding.embedded { try embedding.check(daemon, freshness: withoutSync ? .asKnown : .afterFlush) }
        var source = try ItemSource(daemon, embedding, directories, freshness: withoutSync ? .asKnown : .afterFlush)
        let always = Attribute.fixed.sorted { $0.name < $1.name }
        var output = Output()
        var status: Int32 = 0
        var isFirst = true
        var bytes = ArgumentBytes()
        for path in paths {
            do {
                let place = try FilePlace(bytes.bytes(of: path), text: path)
                let shown = attributes?.attributes ?? always + place.extendedAttributes()
                let item = try source.item(at: place, shown)
                if json {
                    output.line(item.json(shown))
                } else {
                    if !isFirst { output.line("") }
                    for line in ItemListing.lines(shown, of: item) { output.line(line) }
                }
                isFirst = false
            } catch let failure as Failure {
                // The other files are still shown.
                output.flush()
                Output.note(failure.message)
                status = max(status, failure.status)
            }
        }
        output.flush()
        if status != 0 { throw ExitCode(status) }
    }
}
