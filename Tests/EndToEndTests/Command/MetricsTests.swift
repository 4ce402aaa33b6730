// gather metrics, and other programs that read its text.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct MetricsTests {
    /// A reader of the text that others have written; it prints each value with its kind.
    private static let reader = """
        import sys
        from prometheus_client.FORMAT import text_string_to_metric_families
        for family in text_string_to_metric_families(sys.stdin.read()):
            assert family.documentation, family.name
            for sample in family.samples:
                print(family.type, sample.name, sample.labels, float(sample.value))
        """

    @Test(
        .enabled("python3-prometheus-client is not installed") {
            await ChildProcess(path: "/usr/bin/env", ["python3", "-c", "import prometheus_client"]).result().status == 0
        },
        arguments: [
            ("openmetrics", "openmetrics.parser"), ("prometheus", "parser"),
        ])
    func `Prometheus' own reader understands the text`(_ format: String, _ module: String) async throws {
        let daemon = try await TestDaemon()
        let watch = ChildProcess(
            .gather, ["watch", "name != 'it\\'s \"a\\nb\"'", "--socket", daemon.socket.path], input: nil)
        defer { watch.kill(SIGKILL) }
        try Change.write("x", to: daemon.box + "/a")
        _ = await watch.nextLine()
        let result = await daemon.gather("metrics", "--live-queries", "5", "--format", format)
        #expect(result.status == 0 && result.errors.isEmpty)
        let read = await ChildProcess(
            path: "/usr/bin/env", ["python3", "-c", MetricsTests.reader.replacing("FORMAT", with: module)],
            input: result.text
        ).result()
        #expect(read.status == 0, "\(read.errors)")
        #expect(read.text.contains("counter gatherd_events_read_total {} "))
        #expect(read.text.contains("gauge gatherd_container_state {'container': 'box', 'state': 'live'} 1.0\n"))
        #expect(read.text.contains("histogram gatherd_delta_latency_seconds_bucket {'le': '+Inf'} "))
        #expect(read.text.contains("gauge gatherd_live_query_info {'query': '1', 'user': '\(geteuid())'"))
        #expect(!read.text.contains("predicate"))
        let samples = result.lines.count { !$0.hasPrefix("#") }
        #expect(read.lines.count == samples)
    }

    @Test func `A file is replaced as a whole`() async throws {
        let daemon = try await TestDaemon()
        let file = daemon.directory + "/gatherd.prom"
        try Change.write("old", to: file)
        let former = try #require(FileHandle(forReadingAtPath: file))
        let result = await daemon.gather("metrics", "--format", "prometheus", "--output", file)
        #expect(result.status == 0 && result.output.isEmpty)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("# HELP gatherd_build_info "))
        #expect(try former.readToEnd() == Data("old".utf8))
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o644)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: daemon.directory).filter { $0.contains("prom") } == [
                "gatherd.prom"
            ])
        let failure = await daemon.gather("metrics", "--output", daemon.directory + "/no/where")
        #expect(failure.status == 1 && failure.errors.contains("No such file or directory"))
    }

    @Test func `As objects, one a line`() async throws {
        let daemon = try await TestDaemon()
        let lines = await daemon.gather("metrics", "--json").lines
        for line in lines { #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any]) }
        #expect(lines.contains { $0.hasPrefix(#"{"name":"gatherd_events_read_total","kind":"counter","value":"#) })
    }
}
