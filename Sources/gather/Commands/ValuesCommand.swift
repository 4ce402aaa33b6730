// gather values: what values an attribute has, and how many items have each.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct ValuesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "values",
        abstract: "Print the distinct values of an attribute, and how many items have each.",
        discussion: """
            Most frequent first. Of a list, such as tags, each value counts by itself; items without a value count under \
            an empty one. A pipe gets COUNT, a tab and VALUE a line; a terminal gets columns.

            EXAMPLES
              gather values contentType
              gather values tags "kind == 'file'" --container grocery
              gather values fileExtension "size > 1000000" --in . --limit 10
              gather values owner "" --json | jq -r .value
              gather values fileExtension --embedded --in .   without a daemon
            """)

    @Argument(
        help: ArgumentHelp("The attribute ('gather attributes' lists them).", valueName: "attribute"),
        completion: Completions.attribute)
    var attribute: AttributeArgument

    @Argument(help: "What has to be true of an item; '' is true of all.", completion: Completions.predicate)
    var predicate = ""

    @OptionGroup var places: ScopeOptions

    @Option(help: ArgumentHelp("Print this many at most.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each line with NUL in place of a line end.")
    var nulTerminated = false

    @Flag(name: .customLong("no-sync"), help: "Take what is known at once, without waiting for what is being read.")
    var withoutSync = false

    @OptionGroup var daemon: ConnectionOptions
    @OptionGroup var embedding: EmbeddedOptions

    mutating func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit wants a number above 0.") }
    }

    mutating func run() throws {
        let connection = try embedding.connection(daemon, places, isSynchronized: !withoutSync)
        let scopes = try places.scopes(connection)
        if !withoutSync { connection.showProgress(scopes) }
        var client = try connection.connect()
        let result: ValuesResult
        do throws(GatherError) {
            result = try client.values(
                of: attribute.attribute,
                Search(
                    predicate: predicate, scopes: scopes, limit: limit, isSynchronized: !withoutSync,
                    timeout: connection.patience))
        } catch {
            throw Failure(
                error, command: "gather values\(connection.words) \(attribute.attribute.name)", predicate: predicate)
        }
        var output = Output(nulTerminated: nulTerminated)
        if json {
            for entry in result.values { output.line(line(entry)) }
        } else if Terminal.isTerminal(), !nulTerminated {
            var table = Table()
            for entry in result.values {
                let text = Readable.exact(entry.value, of: attribute.attribute)
                let cell =
                    entry.value == .none ? Table.Cell("(none)", .dim) : Table.Cell(DisplayText.escaped(text))
                table.add([.init(Readable.count(entry.count), alignsRight: true), cell])
            }
            for line in table.lines(color: Terminal.hasColor()) { output.line(line) }
        } else {
            for entry in result.values {
                output.line("\(entry.count)\t\(Readable.exact(entry.value, of: attribute.attribute))")
            }
        }
        output.flush()
        Inexact.note(result.inexactContainers, connection)
        if result.values.isEmpty { NoContainers.note(ifNoneIn: &client, scopes, connection) }
    }

    private func line(_ entry: AttributeValueCount) -> [UInt8] {
        var line = JSONLine()
        switch entry.value {
        case .none: line.add("value", nil)
        case .boolean(let value): line.add("value", value)
        case .integer(let value): line.add("value", Int(value))
        default: line.add("value", Readable.exact(entry.value))
        }
        line.add("count", entry.count)
        return line.bytes()
    }
}

/// An attribute as an argument.
struct AttributeArgument: ExpressibleByArgument {
    let attribute: Attribute

    init?(argument: String) {
        guard let attribute = Attribute(name: argument) else { return nil }
        self.attribute = attribute
    }
}
