// Metrics as text, against the rules of the formats.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Testing

@testable import gather

struct MetricsTextTests {
    private let metrics = [
        DaemonMetric(name: "g_events_total", help: "Events \\ \"read\"\nso far", value: 3, kind: .counter),
        DaemonMetric(
            name: "g_state", help: "How", value: 1, kind: .gauge,
            labels: [.init("container", "a\"b\\c\nd"), .init("state", "live")]),
        DaemonMetric(name: "g_cpu_seconds_total", help: "Time", unit: "seconds", value: 0.5, kind: .counter),
        DaemonMetric(name: "g_state", help: "How", value: 0, kind: .gauge, labels: [.init("container", "é")]),
        DaemonMetric(
            name: "g_wait_seconds_bucket", help: "Wait", unit: "seconds", value: 2, kind: .histogram,
            labels: [.init("le", "+Inf")]),
        DaemonMetric(name: "g_wait_seconds_count", help: "Wait", unit: "seconds", value: 2, kind: .histogram),
        DaemonMetric(name: "g_wait_seconds_sum", help: "Wait", unit: "seconds", value: 1e-05, kind: .histogram),
        DaemonMetric(name: "g_new", help: "Later", value: .infinity, kind: .unknown),
        DaemonMetric(name: "g bad\n", help: "", value: 1, kind: .gauge),
    ]

    @Test func openMetrics() {
        #expect(
            MetricsText.text(metrics, .openmetrics) == #"""
                # HELP g_events Events \\ \"read\"\nso far
                # TYPE g_events counter
                g_events_total 3
                # HELP g_state How
                # TYPE g_state gauge
                g_state{container="a\"b\\c\nd",state="live"} 1
                g_state{container="é"} 0
                # HELP g_cpu_seconds Time
                # TYPE g_cpu_seconds counter
                # UNIT g_cpu_seconds seconds
                g_cpu_seconds_total 0.5
                # HELP g_wait_seconds Wait
                # TYPE g_wait_seconds histogram
                # UNIT g_wait_seconds seconds
                g_wait_seconds_bucket{le="+Inf"} 2
                g_wait_seconds_count 2
                g_wait_seconds_sum 1e-05
                # HELP g_new Later
                # TYPE g_new unknown
                g_new +Inf
                # EOF

                """#)
    }

    @Test func prometheus() {
        let text = MetricsText.text(metrics, .prometheus)
        #expect(
            text.hasPrefix(
                "# HELP g_events_total Events \\\\ \"read\"\\nso far\n# TYPE g_events_total counter\ng_events_total 3\n"
            ))
        #expect(text.contains("# TYPE g_new untyped\n"))
        #expect(text.contains("# TYPE g_wait_seconds histogram\n"))
        #expect(!text.contains("# EOF") && !text.contains("# UNIT"))
    }

    @Test(arguments: [
        (0.0, "0"), (-1, "-1"), (1e14, "100000000000000"), (1.5, "1.5"), (.nan, "NaN"), (-.infinity, "-Inf"),
        (1e300, "1e+300"),
    ])
    func numbers(_ value: Double, _ text: String) { #expect(MetricsText.number(value) == text) }
}
