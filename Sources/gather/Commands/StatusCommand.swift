// gather status and gather reload: the daemon.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import GatherService

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how the daemon and its containers are.",
        discussion: """
            EXAMPLES
              gather status
              gather status --json | jq .residentBytes
            """)

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    mutating func run() throws {
        var client = try connection.connect()
        let status = try client.status()
        let containers = try client.containers()
        var output = Output()
        if json {
            output.line(object(status, containers))
        } else {
            let color = Terminal.hasColor()
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
            if !containers.isEmpty { output.line("") }
            for line in ContainerTable.lines(containers, color: color) { output.line(line) }
            // That nothing is watched is said below.
            let next = containers.isEmpty ? [] : next(status, containers)
            if !next.isEmpty { output.line("") }
            for line in next { output.line("next: \(line)") }
        }
        output.flush()
        if containers.isEmpty { Output.note(NoContainers.message(connection.target)) }
    }

    private func next(_ status: DaemonStatus, _ containers: [ContainerStatus]) -> [String] {
        StatusAdvice.next(
            containers.map { ($0.identifier, $0.state, $0.unreadable) }, overflows: status.overflows,
            uptime: status.started.map { Int(Readable.seconds(from: $0, to: .now)) }, words: connection.words)
    }

    private func object(_ status: DaemonStatus, _ containers: [ContainerStatus]) -> [UInt8] {
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
        line.add("next", next(status, containers))
        line.add("containers", containers.map(ContainerTable.object))
        return line.bytes()
    }
}

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Make the daemon read its configuration again.",
        discussion: """
            Returns when the new configuration is in force. Where a file is wrong it is named with the line, and the daemon \
            keeps what it has. Only root and the user that the daemon runs as may do this.

            EXAMPLES
              sudo gather reload
            """)

    @OptionGroup var connection: ConnectionOptions

    mutating func run() throws {
        var client = try connection.connect()
        try client.reload()
    }
}
