// gather count: the number of items that match now.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Print how many items match now.",
        usage: "gather count [<options>] <predicate>",
        discussion: """
            EXAMPLES
              gather count "name LIKE 'Item_*'"
              gather count "kind == 'directory'" --in /usr/share
              gather count -t d -g node_modules
              gather count "size > 1MB" --embedded --in .    without a daemon
            """)

    @OptionGroup var question: QuestionOptions
    @OptionGroup var places: ScopeOptions

    @Flag(name: .customLong("no-sync"), help: "Answer at once with what is known, while containers are being read.")
    var withoutSync = false

    @OptionGroup var exactness: ExactnessOptions
    @OptionGroup var hosts: HostOptions
    @OptionGroup var daemon: ConnectionOptions
    @OptionGroup var embedding: EmbeddedOptions

    mutating func run() throws {
        let connections = try hosts.connections(
            daemon, embedding, places, freshness: withoutSync ? .asKnown : .afterFlush)
        let connection = connections[0]
        let asked = try question.question("gather count\(connection.words)")
        if connections.count > 1 {
            let search = Search(predicate: asked.predicate, freshness: withoutSync ? .asKnown : .afterFlush)
            return try HostCount(connections: connections, places: places).run(asked, search, exactness)
        }
        let scopes = try places.scopes(connection)
        if !withoutSync { try connection.showProgress(scopes) }
        var client = try connection.connect()
        let result: CountResult
        do throws(GatherError) {
            result = try client.count(
                Search(
                    predicate: asked.predicate, scopes: scopes, freshness: withoutSync ? .asKnown : .afterFlush,
                    timeout: connection.patience))
        } catch {
            throw exactness.failure(Failure(error, command: asked.command, predicate: asked.predicate))
        }
        var output = Output()
        output.line(String(result.count))
        output.flush()
        try exactness.check(result.inexactContainers, connection)
        if result.count == 0 { EmptyAnswer.note(asked, &client, scopes, connection) }
    }
}
