// gather top: the present work of the daemon.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import GatherService
internal import Glibc

extension TopScreen.Order: ExpressibleByArgument {}

struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show the present work of the daemon: rates of events, and latencies.",
        usage: "gather top [<options>]",
        discussion: """
            On a terminal the view is live, until q; h shows the keys. Otherwise one table is printed, or as many as \
            --iterations says. Rates are those since the sample before. Latency is the time from the read of an event to the \
            reply of a live query that has it. If the daemon is away, the command waits for it.

            Root and the daemon's own user see everything, others their containers and their own live queries.

            EXAMPLES
              gather top
              gather top --order latency --interval 5
              gather top --json | jq .eventsPerSecond
              gather top --iterations 60 --interval 60 > hour.txt
            """)

    @Option(help: ArgumentHelp("The time between two samples.", valueName: "seconds"))
    var interval = 1.0

    @Option(help: ArgumentHelp("End after this many samples; 1 without a terminal.", valueName: "n"))
    var iterations: Int?

    @Option(help: ArgumentHelp("Order by activity, size, latency or name.", valueName: "key"))
    var order = TopScreen.Order.activity

    @Flag(help: "Print one JSON object for each sample.")
    var json = false

    @OptionGroup var hosts: HostOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        guard interval >= TopScreen.shortestInterval, interval <= TopScreen.longestInterval else {
            throw ValidationError("--interval wants 0.1 to 3600 seconds.")
        }
        if let iterations, iterations < 1 { throw ValidationError("--iterations wants a number above 0.") }
    }

    mutating func run() throws {
        let connections = try hosts.connections(connection)
        let connection = connections.first ?? connection.target
        var screen = TopScreen()
        screen.order = order
        screen.interval = interval
        screen.isUnicode = Terminal.isUnicode
        let accounts = Accounts(LinuxFacts(connection: connection))
        // Numbers of other machines have other names.
        if connection.host == nil {
            screen.userName = { number in UInt32(number).map { accounts.user($0) } ?? number }
        }
        if connections.count > 1 { return try print(screen, connections) }
        if !json, Terminal.isTerminal(), Terminal.isTerminal(STDIN_FILENO) {
            var view = try TopView(connection, screen, iterations: iterations)
            return view.run()
        }
        try print(screen, connection)
    }

    /// Prints the samples. If the daemon does not answer, the first sample throws, and later ones wait.
    private func print(_ screen: TopScreen, _ connection: Connection) throws {
        var model = TopModel()
        var sampler = TopSampler(connection)
        model.add(try sampler.sample().get())
        var left = iterations ?? 1
        var output = Output()
        while left > 0 {
            _ = poll(nil, 0, Int32(interval * 1_000))
            switch sampler.sample() {
            case .failure(let error):
                Output.note("\(error.message); trying again")
                continue
            case .success(let sample): model.add(sample)
            }
            // Rates need two samples of one daemon.
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

    /// Prints the samples of several machines, one table after the other.
    private func print(_ screen: TopScreen, _ connections: [Connection]) throws {
        var models = [TopModel](repeating: TopModel(), count: connections.count)
        var left = (iterations ?? 1) + 1
        while true {
            let results = HostAnswers(
                connections, ask: { client, number in (number, try TopSampler.sample(&client)) },
                print: { answers in
                    var output = Output()
                    for (host, (number, sample)) in answers {
                        models[number].add(sample)
                        // Rates need two samples of one daemon.
                        guard models[number].hasRates else { continue }
                        if json {
                            output.line(HostLines.named(host, models[number].object(at: .now)))
                        } else {
                            output.line("host \(DisplayText.escaped(host))")
                            for line in screen.plainLines(models[number]) { output.line(line) }
                            output.line("")
                        }
                    }
                    output.flush()
                })
            left -= 1
            guard left > 0 else { return try results.finish() }
            _ = poll(nil, 0, Int32(interval * 1_000))
        }
    }
}
