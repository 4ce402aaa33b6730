// gather explain and gather attributes: the language, and what it may name.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say how a predicate is understood and answered.",
        discussion: """
            EXAMPLES
              gather explain "name LIKE 'Item_*' AND size > 4096"
              gather explain --analyze "name MATCHES '.*[0-9]{4}.*'" --in /srv
            """)

    @Argument(help: "The predicate.", completion: Completions.predicate)
    var predicate: String

    @Flag(help: "Carry it out once, and say what each step left and how long it took.")
    var analyze = false

    @OptionGroup var places: ScopeOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        if !analyze, !places.isEmpty { throw ValidationError("Where to look goes with --analyze.") }
    }

    mutating func run() throws {
        let scopes = try places.scopes(connection.target)
        var client = try connection.connect()
        let explanation: QueryExplanation
        do throws(GatherError) {
            explanation =
                try analyze
                ? client.analyze(Search(predicate: predicate, scopes: scopes)) : client.explain(predicate)
        } catch {
            throw Failure(error, command: "gather explain\(connection.words)", predicate: predicate)
        }
        var output = Output()
        if json {
            var line = JSONLine()
            line.add("canonical", explanation.canonical)
            line.add("attributes", explanation.attributes)
            line.add("plan", explanation.plan)
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
            output.line("predicate   \(explanation.canonical)")
            output.line("attributes  \(explanation.attributes.joined(separator: ", "))")
            for (number, line) in explanation.plan.split(separator: "\n").enumerated() {
                output.line((number == 0 ? "plan        " : "            ") + line)
            }
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
        abstract: "List what predicates, --attributes and --sort may name.",
        discussion: """
            EXAMPLES
              gather attributes
              gather attributes --json | jq -r .name
            """)

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    mutating func run() throws {
        var client = try connection.connect()
        var output = Output()
        let attributes = try client.attributes()
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
            var table = Table()
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
}
