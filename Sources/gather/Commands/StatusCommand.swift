// gather status and gather reload: the daemon.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import GatherService

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of the daemon and its containers.",
        usage: "gather status [<options>]",
        discussion: """
            EXAMPLES
              gather status
              gather status --json | jq .residentBytes
              gather -H attic -H cellar status
            """)

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var hosts: HostOptions
    @OptionGroup var connection: ConnectionOptions

    /// The state of a daemon.
    private struct Answer: Sendable {
        let connection: Connection
        let status: DaemonStatus
        let containers: [ContainerStatus]

        init(_ connection: Connection, _ client: inout BlockingClient) throws {
            self.connection = connection
            status = try client.status()
            containers = try client.containers()
        }
    }

    mutating func run() throws {
        let connections = try hosts.connections(connection)
        guard connections.count > 1 else {
            let connection = connections.first ?? connection.target
            var client = try connection.connect()
            return print(try Answer(connection, &client))
        }
        var isFirst = true
        let results = HostAnswers(
            connections, ask: { client, number in try Answer(connections[number], &client) },
            print: { answers in
                for (host, answer) in answers {
                    print(answer, host, isFirst: isFirst)
                    isFirst = false
                }
            })
        try results.finish()
    }

    /// Prints the state of a daemon, with the name of its machine if there are several.
    private func print(_ answer: Answer, _ host: String? = nil, isFirst: Bool = true) {
        let (status, containers, connection) = (answer.status, answer.containers, answer.connection)
        var output = Output()
        if json {
            output.line(HostLines.named(host, object(answer)))
        } else {
            let color = Terminal.hasColor()
            if let host {
                if !isFirst { output.line("") }
                output.line("host          \(DisplayText.escaped(host))")
            }
            let started =
                status.started.map { "since \(Readable.time($0)) (\(Readable.span(from: $0, to: .now)))" } ?? ""
            output.line(
                "\(Color.bold.paint("gatherd \(status.version)", if: color))  process \(status.processID)  \(started)")
            output.line("socket        \(connection.daemon.path)")
            output.line(
                "items         \(Readable.count(status.items)) in "
                    + Readable.count(status.containers, "container", "containers"))
            if let watches = status.watches {
                let limit = status.watchLimit.map { " of \(Readable.count($0))" } ?? ""
                output.line("watches       \(Readable.count(watches))\(limit)")
            }
            output.line("live queries  \(Readable.count(status.liveQueries))")
            output.line("connections   \(Readable.count(status.connections))")
            output.line("memory        \(Readable.size(Int64(status.residentBytes)))")
            output.line(
                "events        \(Readable.count(status.eventsRead)), \(Readable.count(status.overflows, "overflow", "overflows"))"
            )
            if let time = status.snapshotTime { output.line("saved         \(Readable.time(time))") }
            if let error = status.savingError {
                let since = status.unsavedSince.map { " since \(Readable.time($0))" } ?? ""
                output.line(Color.red.paint("not saved    \(since): \(error)", if: color))
            }
            if status.contentTypes == 0 { output.line("content types none: shared-mime-info is not installed") }
            if !containers.isEmpty { output.line("") }
            for line in ContainerTable.lines(containers, color: color) { output.line(line) }
            // A daemon without containers gets a note on standard error instead.
            let next = containers.isEmpty ? [] : next(answer)
            if !next.isEmpty { output.line("") }
            for line in next { output.line("next: \(line)") }
        }
        output.flush()
        if containers.isEmpty { Output.note(NoContainers.message(connection)) }
    }

    private func next(_ answer: Answer) -> [String] {
        let status = answer.status
        return StatusAdvice.next(
            answer.containers.map { ($0.identifier.rawValue, $0.state, $0.unreadable) }, overflows: status.overflows,
            uptime: status.started.map { Int(Readable.seconds(from: $0, to: .now)) },
            isUnsaved: status.savingError != nil,
            words: answer.connection.daemonWords,
            shell: answer.connection.command(""))
    }

    private func object(_ answer: Answer) -> [UInt8] {
        let status = answer.status
        var line = JSONLine()
        line.add("version", status.version)
        line.add("pid", status.processID)
        line.add("started", status.started?.rfc3339)
        line.add("items", status.items)
        line.add("liveQueries", status.liveQueries)
        line.add("connections", status.connections)
        line.add("residentBytes", status.residentBytes)
        line.add("eventsRead", status.eventsRead)
        line.add("overflows", status.overflows)
        line.add("snapshotTime", status.snapshotTime?.rfc3339)
        if let watches = status.watches { line.add("watches", watches) }
        if let limit = status.watchLimit { line.add("watchLimit", limit) }
        line.add("savingError", status.savingError)
        line.add("unsavedSince", status.unsavedSince?.rfc3339)
        if let types = status.contentTypes { line.add("contentTypes", types) }
        line.add("next", next(answer))
        line.add("containers", answer.containers.map(ContainerTable.object))
        return line.bytes()
    }
}

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Make the daemon read its configuration again.",
        usage: "gather reload [<options>]",
        discussion: """
            Returns when the new configuration is in force. If a file is wrong, its line is named and the daemon keeps the \
            configuration that it has. Only root and the daemon's own user may do this.

            EXAMPLES
              sudo gather reload
            """)

    @OptionGroup var hosts: HostOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func run() throws {
        var client = try hosts.connection(connection).connect()
        try client.reload()
    }
}
