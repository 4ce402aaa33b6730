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

        type Metric (name: string, help: string, unit: string, value: float)

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
          snapshotTime: ?string
        )

        # Read the configuration again; returns when it is in force. Refused, with the running one kept,
        # where a file is wrong. Only for root and the daemon's own user.
        method Reload() -> ()

        # Counters and gauges, as an OpenMetrics exporter would name them.
        method Metrics() -> (metrics: []Metric)

        error InvalidConfiguration (file: string, line: int, message: string)

        """
}
