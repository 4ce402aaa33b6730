// io.gatherd.Service: its text, byte for byte as it is served.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// `io.gatherd.Service`: its text, its methods and their messages.
package enum ServiceInterface {
    /// The interface's name.
    package static let name = "io.gatherd.Service"

    /// The interface, parsed.
    package static let interface: VarlinkInterface = {
        do { return try VarlinkInterface(parsing: text) } catch { preconditionFailure("io.gatherd.Service: \(error)") }
    }()

    /// The interface's text.
    package static let text = """
        # The daemon itself.
        interface io.gatherd.Service

        type MetricKind (counter, gauge, histogram, summary)

        # One value. `name` is that of its family with what its kind adds, as OpenMetrics has it: `_total` for a
        # counter, `_bucket`, `_count` and `_sum` for a histogram. Units are base units: seconds, bytes.
        type Metric (
          name: string,
          help: string,
          unit: string,
          value: float,
          kind: ?MetricKind,
          labels: ?[string]string
        )

        # `watches` are those in use over all containers, and `watchLimit` how many there may be: the share of
        # fs.inotify.max_user_watches that is set, or less where the kernel has refused more. A caller who does
        # not see everything is told what is theirs, and not how much happens in all.
        method Status() -> (
          version: string,
          pid: int,
          started: string,
          items: int,
          containers: int,
          liveQueries: int,
          connections: int,
          residentBytes: int,
          eventsRead: int,
          overflows: int,
          snapshotTime: ?string,
          watches: ?int,
          watchLimit: ?int
        )

        # Read the configuration again; returns when it is in force. Refused, with the running one kept,
        # where a file is wrong. Only for root and the daemon's own user.
        method Reload() -> ()

        # Counters and gauges, as an OpenMetrics exporter would name them. With `liveQueries` so many of the
        # busiest live queries are told of too, one by one. A caller who does not see everything is told what
        # anybody can see of the process, of the containers that it may list, and of its own live queries.
        method Metrics(liveQueries: ?int) -> (metrics: []Metric)

        error InvalidConfiguration (file: string, line: int, message: string)

        """
}
