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

        # One value. `name` is the name of its family with the suffix of its kind, as in OpenMetrics: `_total`
        # for a counter, `_bucket`, `_count` and `_sum` for a histogram. Units are base units: seconds, bytes.
        type Metric (
          name: string,
          help: string,
          unit: string,
          value: float,
          kind: ?MetricKind,
          labels: ?[string]string
        )

        # `watches` is the number of watches in use over all containers. `watchLimit` is the most that the
        # daemon may use: the configured share of fs.inotify.max_user_watches or user.max_inotify_watches,
        # whichever is lower, or less if the kernel refused more. `watchShare` is the configured share. A
        # caller who does not see all items gets the numbers of its own items, live queries and connections.
        #
        # While the state cannot be saved, `savingError` is the latest error and `unsavedSince` the time of
        # the first one. Only root and the daemon's own user get these two. `contentTypes` counts the media
        # types of the shared MIME-info database. It is 0 if the database is missing.
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
          watchLimit: ?int,
          watchShare: ?float,
          savingError: ?string,
          unsavedSince: ?string,
          contentTypes: ?int
        )

        # Reads the configuration again and returns when it is in force. A configuration with a mistake is
        # refused, and the running one stays in force. Only root and the daemon's own user may call this.
        method Reload() -> ()

        # Returns counters and gauges, named as in OpenMetrics. `liveQueries` is the number of the busiest
        # live queries that are included one by one. A caller who does not see all items gets the public
        # values of the process, those of the containers that it may list, and those of its own live queries.
        method Metrics(liveQueries: ?int) -> (metrics: []Metric)

        error InvalidConfiguration (file: string, line: int, message: string)

        """
}
