// gather explain and gather attributes: the meaning of a predicate, and the attributes.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Print how a predicate is understood and answered.",
        usage: "gather explain [<options>] <predicate>",
        discussion: """
            EXAMPLES
              gather explain "name LIKE 'Item_*' AND size > 4096"
              gather explain -e pdf -t f report
              gather explain --analyze "name MATCHES '.*[0-9]{4}.*'" --in /srv
            """)

    @OptionGroup var question: QuestionOptions

    @Flag(help: "Carry it out once, and print how many items each step left and how long it took.")
    var analyze = false

    @OptionGroup var places: ScopeOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        if !analyze, !places.isEmpty { throw ValidationError("Where to look goes with --analyze.") }
    }

    mutating func run() throws {
        let asked = try question.question("gather explain\(connection.words)")
        let scopes = try places.scopes(connection.target)
        var client = try connection.connect()
        let explanation: QueryExplanation
        do throws(GatherError) {
            explanation =
                try analyze
                ? client.analyze(Search(predicate: asked.predicate, scopes: scopes)) : client.explain(asked.predicate)
        } catch {
            throw Failure(error, command: asked.command, predicate: asked.predicate)
        }
        let hints = EmptyAnswer.hints(asked.predicate)
        var output = Output()
        if json {
            var line = JSONLine()
            line.add("canonical", explanation.canonical)
            line.add("attributes", explanation.attributes)
            line.add("plan", explanation.plan)
            if !hints.isEmpty { line.add("hints", hints) }
            if let steps = explanation.steps {
                line.add(
                    "steps",
                    steps.map { step in
                        var line = JSONLine()
                        line.add("step", step.description)
                        line.add("rows", step.count)
                        line.add("microseconds", step.microseconds)
                        return line.bytes()
                    })
            }
            output.line(line.bytes())
        } else {
            let times = TypedTimes(
                in: asked.predicate,
                [question.shortcuts.changedWithin, question.shortcuts.changedBefore].compactMap { $0 })
            output.line("predicate   \(DisplayText.escaped(times.restored(explanation.canonical)))")
            output.line("attributes  \(explanation.attributes.joined(separator: ", "))")
            for (number, line) in explanation.plan.split(separator: "\n").enumerated() {
                let line = times.restored(String(line))
                output.line((number == 0 ? "plan        " : "            ") + DisplayText.escaped(line))
            }
            for hint in hints { output.line("hint        \(DisplayText.escaped("\(hint)"))") }
            if let steps = explanation.steps { table(steps, &output) }
        }
        output.flush()
    }

    private func table(_ steps: [QueryStep], _ output: inout Output) {
        var table = Table()
        table.add([
            .init("left", .bold, alignsRight: true), .init("ms", .bold, alignsRight: true), .init("step", .bold),
        ])
        for step in steps {
            table.add([
                .init(Readable.count(step.count), alignsRight: true),
                .init(Readable.milliseconds(step.microseconds), alignsRight: true),
                .init(DisplayText.escaped(step.description)),
            ])
        }
        output.line("")
        for line in table.lines(color: Terminal.hasColor()) { output.line(line) }
    }
}

extension QueryStep {
    fileprivate var microseconds: Int { Int(duration / .microseconds(1)) }
}

struct AttributesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attributes",
        abstract: "List the attributes of predicates, --attributes and --sort.",
        discussion: """
            Needs no daemon. With --socket, --user or --system the list is that of the daemon.

            EXAMPLES
              gather attributes
              gather attributes --json | jq -r .name
            """)

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    mutating func run() throws {
        var output = Output()
        let attributes = try attributes()
        if json {
            for attribute in attributes {
                var line = JSONLine()
                line.add("name", attribute.name)
                line.add("type", attribute.type)
                line.add("aliases", attribute.aliases)
                line.add("description", attribute.description)
                output.line(line.bytes())
            }
        } else if Terminal.isTerminal() {
            var table = Table(header: [("name", false), ("type", false), ("description", false)])
            for attribute in attributes {
                table.add([.init(attribute.name, .bold), .init(attribute.type, .dim), .init(attribute.description)])
            }
            for line in table.lines(color: Terminal.hasColor()) { output.line(line) }
        } else {
            for attribute in attributes {
                output.line("\(attribute.name)\t\(attribute.type)\t\(attribute.description)")
            }
        }
        output.flush()
    }

    /// Returns the attributes of the chosen daemon, or those of this version.
    private func attributes() throws -> [AttributeSummary] {
        guard connection.isAutomatic else {
            var client = try connection.connect()
            return try client.attributes()
        }
        return AttributeSummary.all
    }
}
