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
            connections, failure: { Failure($0, command: asked.command, predicate: asked.predicate) }
        ) { client, number in try client.count(searches[number]) }
        var output = Output()
        var table = Table(header: [(name: "host", alignsRight: false), (name: "count", alignsRight: true)])
        for (host, answer) in results.answers {
            let count = min(answer.count, search.limit ?? .max)
            if Terminal.isTerminal() {
                table.add([.init(DisplayText.escaped(host)), .init(Readable.count(count), alignsRight: true)])
            } else {
                output.line("\(host)\t\(count)")
            }
            results.report.add(inexact: answer.inexactContainers, of: host)
        }
        for line in table.lines(color: Terminal.hasColor(), width: Terminal.width) { output.line(line) }
        output.flush()
        try results.finish(exactness)
    }
}
