// gather metrics: the metrics of the daemon, for collectors.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

extension MetricsText.Format: ExpressibleByArgument {}

struct MetricsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print what the daemon measures, for Prometheus and similar collectors.",
        usage: "gather metrics [<options>]",
        discussion: """
            The format is OpenMetrics. With --format prometheus it is the one that node_exporter's textfile collector reads. \
            With --output the file is replaced as a whole. On Debian the unit gatherd-metrics.timer does that for \
            prometheus-node-exporter: sudo systemctl enable --now gatherd-metrics.timer

            Root and the daemon's own user get everything. Other users get the process, their containers and their own live \
            queries.

            EXAMPLES
              gather metrics
              gather metrics --format prometheus --output gatherd.prom
              gather metrics --json | jq -c '[.name, .value]'
              gather metrics --live-queries 10
            """)

    @Option(help: ArgumentHelp("The format of the text: openmetrics or prometheus.", valueName: "format"))
    var format = MetricsText.Format.openmetrics

    @Option(
        help: ArgumentHelp("Write to this file, beside it first, and rename.", valueName: "file"), completion: .file())
    var output: String?

    @Option(
        name: .customLong("live-queries"),
        help: ArgumentHelp(
            "List this many of the busiest live queries one by one, without their predicates.", valueName: "n"))
    var liveQueries = 0

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var hosts: HostOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        if liveQueries < 0 { throw ValidationError("--live-queries wants a number.") }
    }

    mutating func run() throws {
        var client = try hosts.connection(connection).connect()
        let metrics = try client.metrics(liveQueries: liveQueries).map(MetricsCommand.withoutPredicate)
        var lines = Output()
        let bytes: [UInt8]
        if json {
            bytes = metrics.flatMap { MetricsCommand.object($0) + [UInt8(ascii: "\n")] }
        } else {
            bytes = Array(MetricsText.text(metrics, format).utf8)
        }
        if let output { return try ReplacedFile.write(bytes, to: output) }
        lines.text(bytes)
        lines.flush()
    }

    /// Returns the metric without its predicate, since other users read collected metrics.
    private static func withoutPredicate(_ metric: DaemonMetric) -> DaemonMetric {
        guard metric.label("predicate") != nil else { return metric }
        return DaemonMetric(
            name: metric.name, help: metric.help, unit: metric.unit, value: metric.value, kind: metric.kind,
            labels: metric.labels.filter { $0.name != "predicate" })
    }

    private static func object(_ metric: DaemonMetric) -> [UInt8] {
        var line = JSONLine()
        line.add("name", metric.name)
        line.add("kind", metric.kind.rawValue)
        if !metric.unit.isEmpty { line.add("unit", metric.unit) }
        if !metric.labels.isEmpty { line.add("labels", texts: metric.labels.map { ($0.name, $0.value) }) }
        line.add("value", metric.value)
        return line.bytes()
    }
}
