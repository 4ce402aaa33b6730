// gather count: how many match now.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Print how many match now.",
        discussion: """
            EXAMPLES
              gather count "name LIKE 'Item_*'"
              gather count "kind == 'directory'" --in /usr/share
              gather count "size > 1000000" --embedded --in .   without a daemon
            """)

    @Argument(help: "What has to be true of an item; '' is true of all.", completion: Completions.predicate)
    var predicate: String

    @OptionGroup var places: ScopeOptions

    @Flag(name: .customLong("no-sync"), help: "Take what is known at once, without waiting for what is being read.")
    var withoutSync = false

    @OptionGroup var daemon: ConnectionOptions
    @OptionGroup var embedding: EmbeddedOptions

    mutating func run() throws {
        let connection = try embedding.connection(daemon, places, isSynchronized: !withoutSync)
        let scopes = try places.scopes(connection)
        if !withoutSync { connection.showProgress(scopes) }
        var client = try connection.connect()
        let result: CountResult
        do throws(GatherError) {
            result = try client.count(
                Search(
                    predicate: predicate, scopes: scopes, isSynchronized: !withoutSync, timeout: connection.patience))
        } catch {
            throw Failure(error, command: "gather count\(connection.words)", predicate: predicate)
        }
        var output = Output()
        output.line(String(result.count))
        output.flush()
        Inexact.note(result.inexactContainers, connection)
        if result.count == 0 { NoContainers.note(ifNoneIn: &client, scopes, connection) }
    }
}
