// gather watch: the items that match now, and each change as it happens.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import GatherService
internal import Glibc
internal import Synchronization

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the items that match now, then each change, until Ctrl-C.",
        usage: "gather watch [<options>] <predicate>",
        discussion: """
            The first results are indented by two blanks. Then each change has a line: + for an item that matches now, ~ for \
            one that changed and still matches, - for one that no longer matches or is gone. A move is ~ OLD -> NEW. If the \
            daemon restarts, the command waits for it and prints the changes of the meantime.

            With --json each line is an object; its "event" is started, result, gathered, added, changed, removed, updated \
            (the end of a batch of changes, with a clock), reconnecting or reconnected.

            The options --exec and --exec-batch take the rest of the line as a command. It runs without a shell, one at a \
            time. In its arguments {} is the path, {/} its last component and {//} its directory. Without the extension, the \
            first two are {.} and {/.}. GATHER_CHANGE is result, added or changed, and with --removed also removed. The first \
            results count, unless --changes is given. Changes of a tenth of a second are one, unless --batch is given.

            EXAMPLES
              gather watch "name LIKE 'Item_*'"
              gather watch "ANY tags == 'urgent'" --container grocery
              gather watch "name ENDSWITH '.c'" --in . --batch 100 --json
              gather watch -e c -e h --in src --changes --batch 200 -X make
              gather watch -e md --changes --exec pandoc {} -o {.}.html
              gather watch "name == 'ready'" --once --timeout 30s
              gather watch "" --json --since "$(gather clock)"
              gather watch "" --embedded --in ~/Downloads    without a daemon
              gather -H attic -H cellar watch -e iso
            """)

    @OptionGroup var question: QuestionOptions
    @OptionGroup var places: ScopeOptions

    @OptionGroup var output: ChangeOutput

    @Flag(help: "Leave the first results out.")
    var changes = false

    @Flag(help: "End after the first batch of changes.")
    var once = false

    @Option(
        help: ArgumentHelp("End after this time: 30s, 5min. With --once, no change is status 124.", valueName: "time"))
    var timeout: TimeSpan?

    @Option(
        help: ArgumentHelp("Print only the changes since this clock ('gather clock') at first.", valueName: "clock"),
        completion: .list([]))
    var since: String?

    @Option(
        help: ArgumentHelp(
            "Merge the changes of this many milliseconds (0; 100 with --exec and --exec-batch).", valueName: "ms"))
    var batch: Int?

    @Flag(help: "With --exec and --exec-batch, run the command for removed items, too.")
    var removed = false

    @OptionGroup var hosts: HostOptions
    @OptionGroup var daemon: ConnectionOptions
    @OptionGroup var embedding: EmbeddedOptions

    @Option(
        name: [.customShort("x"), .customLong("exec")], parsing: .remaining,
        help: ArgumentHelp("Run this command for each item in place of printing it.", valueName: "command"))
    var exec: [String] = []

    @Option(
        name: [.customShort("X"), .customLong("exec-batch")], parsing: .remaining,
        help: ArgumentHelp("Run this command for all items of one kind of change together.", valueName: "command"))
    var execBatch: [String] = []

    mutating func validate() throws {
        if let batch, batch < 0 || batch > 3_600_000 {
            throw ValidationError("--batch wants milliseconds, an hour at most.")
        }
        guard !exec.isEmpty || !execBatch.isEmpty else {
            if removed {
                throw ValidationError("--removed goes with --exec or --exec-batch; removals are printed anyway.")
            }
            return
        }
        if output.json || output.nulTerminated {
            throw ValidationError("--exec and --exec-batch print nothing: they do not go with --json or --null.")
        }
        if template == nil { throw ValidationError("--exec and --exec-batch want a command behind them.") }
    }

    /// One touch(1) of a new file is several changes, and a command is to run once for it.
    private static let batchOfCommands = 100
    var batchingInterval: Duration { .milliseconds(batch ?? (template == nil ? 0 : Self.batchOfCommands)) }

    private var template: CommandTemplate? { CommandTemplate(exec.isEmpty ? execBatch : exec) }

    mutating func run() throws {
        let timer = WatchTimer(timeout)
        if let since { try ClockArgument.check(since) }
        let connections = try hosts.connections(daemon, embedding, places, watches: true)
        let connection = connections[0]
        let asked = try question.question("gather watch\(connection.words)")
        if connections.count > 1 { return try run(connections, asked, timer) }
        let scopes = try places.scopes(connection)
        let query = MetadataQuery(
            predicate: asked.predicate, scopes: scopes, attributes: output.wanted,
            batchingInterval: batchingInterval, since: since.map { DaemonClock(rawValue: $0) },
            socket: connection.daemon)
        var isWaiting = false
        do throws(GatherError) {
            try connection.showProgress(scopes)
        } catch {
            WatchSession.noteWait(error)
            isWaiting = true
        }
        if template != nil { Signals.installForCommands() }
        let session = WatchSession(
            query: query, question: asked, connection: connection, endsAfterChange: once, timer: timer,
            isWaiting: isWaiting,
            printing: output.settings(isResuming: since != nil, tellsResults: !changes, connection),
            runner: template.map {
                ChangeRunner(
                    $0, isBatch: exec.isEmpty, tellsResults: !changes, tellsRemovals: removed)
            },
            isTalkative: !output.json && template == nil && Terminal.isTerminal() && Terminal.isTerminal(STDERR_FILENO))
        // The task ends the process, or this thread does when the reader of the pipe is gone.
        Task { await session.follow() }
        Output.waitUntilNobodyReads()
    }

    /// Watches several machines.
    private func run(_ connections: [Connection], _ asked: AskedQuestion, _ timer: WatchTimer) throws {
        if since != nil {
            throw Failure(status: ExitStatus.usage, "a clock is one of a single daemon: --since goes with one machine")
        }
        guard template == nil else {
            throw Failure(
                status: ExitStatus.usage, "--exec and --exec-batch run here: they go with one machine")
        }
        try places.checkForSeveral()
        let watches = try connections.map { connection in
            var printing = output.settings(isResuming: false, tellsResults: !changes, connection)
            printing.host = connection.hostName
            let query = MetadataQuery(
                predicate: asked.predicate, scopes: try places.scopes(connection), attributes: output.wanted,
                batchingInterval: batchingInterval, socket: connection.daemon)
            return HostWatch(query: query, host: connection.hostName, printing: printing)
        }
        let session = HostWatchSession(
            watches: watches, question: asked, endsAfterChange: once, timer: timer)
        Task { await session.follow() }
        Output.waitUntilNobodyReads()
    }
}
