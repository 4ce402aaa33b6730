// gather clock and gather changes: the changes since an earlier moment.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import GatherService
internal import Glibc

/// A clock on the command line.
enum ClockArgument {
    /// Throws if a text is not a clock.
    static func check(_ text: String) throws(Failure) {
        guard QueryClock(text: text) == nil else { return }
        throw Failure(
            status: ExitStatus.usage,
            "'\(DisplayText.escaped(text))' is no clock. 'gather clock' prints one, and so does watch --json")
    }
}

struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Print the clock of now, for 'gather changes' and 'gather watch --since'.",
        usage: "gather clock [<options>]",
        discussion: """
            Every change made before the command is before the clock. A clock serves any predicate, scope and list of \
            attributes, also after a restart of the daemon, for the user that it was given to.

            EXAMPLES
              clock=$(gather clock)
              gather changes --since "$clock" "name LIKE '*.pdf'"
            """)

    @OptionGroup var hosts: HostOptions
    @OptionGroup var daemon: ConnectionOptions

    mutating func run() throws {
        let connection = try hosts.connection(daemon)
        try connection.showProgress()
        var client = try connection.connect()
        let result = try client.count(Search(predicate: "FALSEPREDICATE", timeout: connection.patience))
        Inexact.note(result.inexactContainers, connection)
        var output = Output()
        output.line(result.clock.rawValue)
        output.flush()
    }
}

struct ChangesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Print the changes since a clock, and end.",
        usage: "gather changes [<options>] --since <clock> <predicate>",
        discussion: """
            Each item has one line, however often it changed. A + is for an item that matches now and did not then. A - is for \
            one that matched then and no longer does. A ~ is for one that changed and matched at both times; after a move the \
            line has OLD -> NEW. Every change made before the command is printed.

            If the history does not reach back to the clock, nothing is printed and the status is 4. With --json the last \
            object, with the event gathered, has the clock to go on from.

            EXAMPLES
              gather changes --since "$(gather clock)" ""
              gather changes --since "$clock" -e pdf
              gather changes --since "$clock" "" --json --attributes path,size
            """)

    @OptionGroup var question: QuestionOptions
    @OptionGroup var places: ScopeOptions

    @Option(help: ArgumentHelp("The clock ('gather clock' prints one).", valueName: "clock"), completion: .list([]))
    var since: String

    @OptionGroup var output: ChangeOutput
    @OptionGroup var exactness: ExactnessOptions
    @OptionGroup var hosts: HostOptions
    @OptionGroup var daemon: ConnectionOptions

    mutating func run() throws {
        try ClockArgument.check(since)
        let connection = try hosts.connection(daemon)
        let asked = try question.question("gather changes\(connection.words) --since \(since)")
        let scopes = try places.scopes(connection)
        try connection.showProgress(scopes)
        var client = try connection.connect()
        do throws(GatherError) {
            // A count waits until all earlier changes were read. A live query does not.
            _ = try client.count(Search(predicate: "FALSEPREDICATE", scopes: scopes, timeout: connection.patience))
        } catch {
            throw exactness.failure(Failure(error, command: asked.command, predicate: asked.predicate))
        }
        let query = MetadataQuery(
            predicate: asked.predicate, scopes: scopes, attributes: output.wanted, since: DaemonClock(rawValue: since),
            socket: connection.daemon)
        let session = ChangesSession(
            query: query, question: asked, exactness: exactness,
            printing: output.settings(isResuming: true, connection))
        Task { await session.follow() }
        Output.waitUntilNobodyReads()
    }
}

/// A live query that ends after the changes since its clock.
private struct ChangesSession: Sendable {
    let query: MetadataQuery
    let question: AskedQuestion
    let exactness: ExactnessOptions
    let printing: ChangePrinter.Settings

    /// Prints the changes, and ends the process.
    func follow() async {
        do {
            try await query.start()
            var printer = ChangePrinter(printing)
            for try await notification in query.notifications {
                switch notification {
                case .started(resumed: false):
                    throw Failure(
                        status: ExitStatus.forgotten,
                        "the changes since this clock are not known any more, or it was given to another user; take a new "
                            + "one with 'gather clock', and ask with 'gather find'")
                case .reconnecting(let error): throw error
                case .gathered:
                    printer.print(notification, of: query)
                    let isUnsure = exactness.requireExact && !query.inexactContainers.isEmpty
                    Glibc.exit(isUnsure ? ExitStatus.inexact : 0)
                case .started, .progress, .updated, .reconnected: printer.print(notification, of: query)
                }
            }
            throw Failure("gatherd ended the query before the changes were complete")
        } catch let error as GatherError {
            exactness.failure(Failure(error, command: question.command, predicate: question.predicate)).exit()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            Failure("\(error)").exit()
        }
    }
}
