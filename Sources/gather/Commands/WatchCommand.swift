// gather watch: what matches now, and each change as it happens.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print what matches now, then each change, until Ctrl-C.",
        discussion: """
            The first results are indented by two blanks. Then a line for each change: + for an item that matches now, ~ for \
            one that changed and still matches, - for one that no longer matches or is gone; a move is ~ OLD -> NEW. When \
            the daemon restarts, the command waits for it and goes on: what changed meanwhile follows.

            With --json each line is an object; its "event" is started, result, gathered, added, changed, removed, updated \
            (which closes a batch of changes and has the clock to go on from), reconnecting or reconnected.

            EXAMPLES
              gather watch "name LIKE 'Item_*'"
              gather watch "ANY tags == 'urgent'" --container grocery
              gather watch "name ENDSWITH '.c'" --in . --batch 100 --json
              gather watch "" --json --since "$clock"
              gather watch "" --embedded --in ~/Downloads   try it without installing anything
            """)

    @Argument(help: "What has to be true of an item; '' is true of all.", completion: Completions.predicate)
    var predicate: String

    @OptionGroup var places: ScopeOptions

    @Option(
        help: ArgumentHelp("Print these attributes with --json: a,b,c.", valueName: "names"),
        completion: Completions.attributes)
    var attributes: AttributeList?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each line with NUL in place of a line end.")
    var nulTerminated = false

    @Option(
        help: ArgumentHelp("Print only what changed after this clock, where it is still known.", valueName: "clock"))
    var since: String?

    @Option(help: ArgumentHelp("Merge the changes of this many milliseconds.", valueName: "ms"))
    var batch: Int = 0

    @OptionGroup var daemon: ConnectionOptions
    @OptionGroup var embedding: EmbeddedOptions

    mutating func validate() throws {
        if batch < 0 || batch > 3_600_000 { throw ValidationError("--batch wants milliseconds, an hour at most.") }
        if attributes != nil, !json { throw ValidationError("--attributes goes with --json.") }
    }

    mutating func run() throws {
        let connection = try embedding.connection(daemon, places, watches: true)
        let scopes = try places.scopes(connection)
        let attributes = attributes?.attributes ?? (json ? MetadataQuery.defaultAttributes : [.path])
        let query = MetadataQuery(
            predicate: predicate, scopes: scopes, attributes: attributes, batchingInterval: .milliseconds(batch),
            since: since, socket: connection.daemon)
        connection.showProgress(scopes)
        let command = self
        // The process ends from the task, or here: a reader that goes away is noticed at once, not at the next change.
        Task { await command.follow(query, attributes, connection) }
        Output.waitUntilNobodyReads()
    }

    /// Follows the query to its end, and ends the process. Not `Never`, and its errors not typed: with both, Swift 6.3
    /// makes code that crashes after the first `await` when it optimizes.
    private func follow(_ query: MetadataQuery, _ attributes: [Attribute], _ connection: Connection) async {
        do {
            try await tell(query, attributes, connection)
            Glibc.exit(0)
        } catch let error as GatherError {
            Failure(error, command: "gather watch\(connection.words)", predicate: predicate).exit()
        } catch {
            Failure("\(error)").exit()
        }
    }

    private func tell(_ query: MetadataQuery, _ attributes: [Attribute], _ connection: Connection) async throws {
        try await query.start()
        var printer = ChangePrinter(
            asJSON: json, nulTerminated: nulTerminated, attributes: attributes, isResuming: since != nil,
            connection: connection)
        for try await notification in query.notifications {
            printer.print(notification, of: query)
            guard case .gathered = notification, query.resultCount == 0 else { continue }
            // Asked on the way, by a connection of its own: an empty answer has a reason.
            if var client = try? connection.connect() {
                NoContainers.note(ifNoneIn: &client, query.scopes, connection)
            }
        }
    }
}
