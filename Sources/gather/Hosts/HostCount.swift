// The number of items on several machines.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

/// `gather count` on several machines: a line for each.
struct HostCount {
    let connections: [Connection]
    let places: ScopeOptions

    /// Asks and prints. Throws the exit status unless all is well.
    func run(_ asked: AskedQuestion, _ search: Search, _ exactness: ExactnessOptions) throws {
        let searches = try HostFind.searches(search, connections, places)
        var results = HostAnswers(
            connections, failure: { Failure($0, command: asked.command, predicate: asked.predicate) },
            ask: { client, number in try client.count(searches[number]) },
            print: { answers in print(answers.map { ($0.host, min($0.answer.count, search.limit ?? .max)) }) })
        for (host, answer) in results.answers { results.report.add(inexact: answer.inexactContainers, of: host) }
        try results.finish(exactness)
    }

    private func print(_ counts: [(host: String, count: Int)]) {
        var output = Output()
        var table = Table(header: [(name: "host", alignsRight: false), (name: "count", alignsRight: true)])
        for (host, count) in counts {
            if Terminal.isTerminal() {
                table.add([.init(DisplayText.escaped(host)), .init(Readable.count(count), alignsRight: true)])
            } else {
                output.line("\(host)\t\(count)")
            }
        }
        for line in table.lines(color: Terminal.hasColor(), width: Terminal.width) { output.line(line) }
        output.flush()
    }
}
