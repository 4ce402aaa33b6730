// gather top: what the daemon does now.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import GatherService
internal import Glibc

extension TopScreen.Order: ExpressibleByArgument {}

struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show what the daemon does now: how much happens, and how soon it is told.",
        discussion: """
            On a terminal the view is live, until q; h shows the keys. Else one table is printed, or as many as \
            --iterations says. Rates are those since the sample before. Latency is the time from the read of an event to the \
            reply that tells a live query of it. Where the daemon is away it is waited for.

            Root and the daemon's own user see everything; others their containers and their own live queries.

            EXAMPLES
              gather top
              gather top --order latency --interval 5
              gather top --json | jq .eventsPerSecond
              gather top --iterations 60 --interval 60 > hour.txt
            """)

    @Option(help: ArgumentHelp("Seconds between two looks.", valueName: "seconds"))
    var interval = 1.0

    @Option(help: ArgumentHelp("End after so many looks; 1 without a terminal.", valueName: "n"))
    var iterations: Int?

    @Option(help: ArgumentHelp("Order by activity, size, latency or name.", valueName: "key"))
    var order = TopScreen.Order.activity

    @Flag(help: "Print one JSON object for each look.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        guard interval >= TopScreen.shortestInterval, interval <= TopScreen.longestInterval else {
            throw ValidationError("--interval wants 0.1 to 3600 seconds.")
        }
        if let iterations, iterations < 1 { throw ValidationError("--iterations wants a number above 0.") }
    }

    mutating func run() throws {
        var screen = TopScreen()
        screen.order = order
        screen.interval = interval
        screen.isUnicode = Terminal.isUnicode
        let accounts = Accounts(LinuxFacts(connection: connection.target))
        screen.userName = { number in UInt32(number).map { accounts.user($0) } ?? number }
        if !json, Terminal.isTerminal(), Terminal.isTerminal(STDIN_FILENO) {
            var view = try TopView(connection.target, screen, iterations: iterations)
            return view.run()
        }
        try print(screen)
    }

    /// Prints as often as it was asked for. A daemon that is away is an error the first time, and waited for after that.
    private func print(_ screen: TopScreen) throws {
        var model = TopModel()
        model.add(try TopPoller.sample(connection.target).get())
        var left = iterations ?? 1
        var output = Output()
        while left > 0 {
            _ = poll(nil, 0, Int32(interval * 1_000))
            switch TopPoller.sample(connection.target) {
            case .failure(let error):
                Output.note("\(error.message); trying again")
                continue
            case .success(let sample): model.add(sample)
            }
            // Another daemon's first sample has nothing to be compared with.
            guard model.hasRates else { continue }
            left -= 1
            if json {
                output.line(model.object(at: .now))
            } else {
                for line in screen.plainLines(model) { output.line(line) }
                if left > 0 { output.line("") }
            }
            output.flush()
        }
    }
}
