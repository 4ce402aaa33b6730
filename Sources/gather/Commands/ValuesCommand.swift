// gather values: the distinct values of an attribute, with the number of items that have each.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct ValuesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "values",
        abstract: "Print the distinct values of an attribute, and how many items have each.",
        usage: "gather values [<options>] <attribute> [<predicate>]",
        discussion: """
            The most frequent value comes first. Each value of a list, such as tags, counts by itself. Items without a value \
            count under an empty one. A pipe gets COUNT, a tab and VALUE a line. A terminal gets columns.

            EXAMPLES
              gather values contentType
              gather values tags "kind == 'file'" --container grocery
              gather values fileExtension "size > 1MB" --in . --limit 10
              gather values owner "" --json | jq -r .value
              gather values fileExtension --embedded --in .    without a daemon
            """)

    @Argument(
        help: ArgumentHelp("The attribute ('gather attributes' lists them).", valueName: "attribute"),
        completion: Completions.attribute, transform: { try AttributeArgument($0) })
    var attribute: AttributeArgument

    @OptionGroup var question: QuestionOptions
    @OptionGroup var places: ScopeOptions

    @Option(help: ArgumentHelp("Print this many at most.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each line with NUL in place of a line end.")
    var nulTerminated = false

    @Flag(name: .customLong("no-sync"), help: "Answer at once with what is known, while containers are being read.")
    var withoutSync = false

    @OptionGroup var exactness: ExactnessOptions
    @OptionGroup var hosts: HostOptions
    @OptionGroup var daemon: ConnectionOptions
    @OptionGroup var embedding: EmbeddedOptions

    mutating func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit wants a number above 0.") }
    }

    mutating func run() throws {
        let connections = try hosts.connections(
            daemon, embedding, places, freshness: withoutSync ? .asKnown : .afterFlush)
        let connection = connections[0]
        let asked = try question.question(
            "gather values\(connection.words) \(attribute.attribute.name)", isOptional: true)
        if connections.count > 1 { return try run(connections, asked) }
        let scopes = try places.scopes(connection)
        if !withoutSync { try connection.showProgress(scopes) }
        var client = try connection.connect()
        let result: ValuesResult
        do throws(GatherError) {
            result = try client.values(
                of: attribute.attribute,
                Search(
                    predicate: asked.predicate, scopes: scopes, limit: limit,
                    freshness: withoutSync ? .asKnown : .afterFlush,
                    timeout: connection.patience))
        } catch {
            throw exactness.failure(Failure(error, command: asked.command, predicate: asked.predicate))
        }
        print([(nil, result.values)])
        try exactness.check(result.inexactContainers, connection)
        if result.values.isEmpty { EmptyAnswer.note(asked, &client, scopes, connection) }
    }

    /// Asks several machines.
    private func run(_ connections: [Connection], _ asked: AskedQuestion) throws {
        let search = Search(predicate: asked.predicate, limit: limit, freshness: withoutSync ? .asKnown : .afterFlush)
        let searches = try HostFind.searches(search, connections, places)
        let attribute = attribute.attribute
        var results = HostAnswers(
            connections, failure: { Failure($0, command: asked.command, predicate: asked.predicate) },
            ask: { client, number in try client.values(of: attribute, searches[number]) },
            print: { answers in print(answers.map { ($0.host, $0.answer.values) }) })
        for (host, answer) in results.answers { results.report.add(inexact: answer.inexactContainers, of: host) }
        try results.finish(exactness)
    }

    /// Prints the values of each machine, with its name if it has one.
    private func print(_ results: [(host: String?, values: [AttributeValueCount])]) {
        var output = Output(nulTerminated: nulTerminated)
        let named = results.contains { $0.host != nil }
        let header = [(name: "count", alignsRight: true), (name: attribute.attribute.name, alignsRight: false)]
        var table = Table(header: (named ? [(name: "host", alignsRight: false)] : []) + header)
        let isTable = Terminal.isTerminal() && !nulTerminated && !json
        for (host, values) in results {
            for entry in values {
                if json {
                    output.line(HostLines.named(host, line(entry)))
                    continue
                }
                let text = Readable.exact(entry.value, of: attribute.attribute)
                guard isTable else {
                    output.line((host.map { $0 + "\t" } ?? "") + "\(entry.count)\t\(text)")
                    continue
                }
                let cell =
                    entry.value == .none ? Table.Cell("(none)", .dim) : Table.Cell(DisplayText.escaped(text))
                let row = [Table.Cell(Readable.count(entry.count), alignsRight: true), cell]
                table.add((host.map { [Table.Cell(DisplayText.escaped($0))] } ?? []) + row)
            }
        }
        for line in table.lines(color: Terminal.hasColor(), width: Terminal.width) { output.line(line) }
        output.flush()
    }

    private func line(_ entry: AttributeValueCount) -> [UInt8] {
        var line = JSONLine()
        switch entry.value {
        case .none: line.add("value", nil)
        case .boolean(let value): line.add("value", value)
        case .integer(let value): line.add("value", Int(value))
        case .unsigned(let value): line.add("value", value)
        default: line.add("value", Readable.exact(entry.value))
        }
        line.add("count", entry.count)
        return line.bytes()
    }
}
