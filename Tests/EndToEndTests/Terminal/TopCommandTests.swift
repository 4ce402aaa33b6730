// gather top on a terminal, which script(1) plays, and without one.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct TopCommandTests {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"

    @Test func `One object, and lines for a file`() async throws {
        let daemon = try await TestDaemon()
        let watch = ChildProcess(.gather, ["watch", "name == 'a'", "--socket", daemon.socket.path], input: nil)
        defer { watch.kill(SIGKILL) }
        try Change.write("x", to: daemon.box + "/a")
        _ = await watch.nextLine()
        let result = await daemon.gather("top", "--json", "--interval", "0.1", "--iterations", "2")
        #expect(result.status == 0 && result.lines.count == 2)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(result.lines[0].utf8)) as? [String: Any])
        #expect(object["eventsPerSecond"] is Double && object["queueBytes"] as? Int == 0)
        let queries = try #require(object["liveQueries"] as? [[String: Any]])
        #expect(queries.map { $0["predicate"] as? String } == ["name == 'a'"])
        #expect(queries.first?["pid"] as? Int == Int(watch.processID))
        let containers = try #require(object["containers"] as? [[String: Any]])
        #expect(containers.map { $0["identifier"] as? String } == ["box"])
        let plain = await daemon.gather("top", "--interval", "0.1")
        #expect(plain.status == 0 && plain.errors.isEmpty)
        #expect(plain.lines.first?.hasPrefix("gatherd ") == true)
        #expect(plain.lines.contains { $0.hasPrefix("box ") })
        #expect(!plain.text.contains("\u{1B}"))
        await daemon.kill()
        let gone = await daemon.gather("top")
        #expect(gone.status == 69 && gone.errors.contains("cannot be reached"))
    }

    /// How the view ends, and with which status.
    @Test(
        .enabled(if: access("/usr/bin/script", X_OK) == 0),
        arguments: [
            ([] as [CInt], 0), ([SIGINT], 130), ([SIGTERM], 143), ([SIGTSTP, SIGCONT, SIGTERM], 143), ([SIGHUP], 129),
            ([SIGQUIT], 131), ([SIGUSR1], 138), ([SIGALRM], 142), ([SIGXCPU], 152), ([SIGSEGV], 139),
        ])
    func `A terminal is left as it was found, however it ends`(_ signals: [CInt], _ status: Int) async throws {
        let daemon = try await TestDaemon()
        let script = daemon.directory + "/view"
        try Change.write(
            """
            ulimit -c 0
            bash -c 'echo "pid $$"; exec "$0" top --socket "$1" --interval 0.1 $2' "$1" "$2" "$3"
            echo "status $?"
            stty -a | tr ' ;' '\\n\\n' | grep -x -e icanon -e -icanon -e echo -e -echo

            """, to: script)
        let iterations = signals.isEmpty ? "--iterations 2" : ""
        let view = ChildProcess(
            path: "/usr/bin/script",
            ["-qec", "bash '\(script)' '\(Product.gather.path)' '\(daemon.socket.path)' '\(iterations)'", "/dev/null"],
            environment: ["TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1"], input: nil)
        var lines: [String] = []
        var process: pid_t = 0
        var left = signals[...]
        var entered = 0
        while let line = await view.nextLine() {
            lines.append(line)
            if line.hasPrefix("pid ") { process = pid_t(line.dropFirst(4).filter(\.isNumber)) ?? 0 }
            if line.contains(TopCommandTests.enter) { entered += 1 }
            // Each signal when the view is on the screen; one that stops it is followed by the one that lets it go on.
            if line.contains("events/s"), process > 0, entered == 1 || left.first != SIGCONT,
                let signal = left.popFirst()
            {
                kill(process, signal)
                if signal == SIGTSTP, left.first == SIGCONT {
                    while await !TopCommandTests.isStopped(process) {}
                    kill(process, SIGCONT)
                    left.removeFirst()
                }
            }
        }
        let whole = lines.joined(separator: "\n")
        let times = signals.contains(SIGTSTP) ? 2 : 1
        #expect(whole.split(separator: TopCommandTests.enter, omittingEmptySubsequences: false).count == times + 1)
        #expect(whole.split(separator: TopCommandTests.leave, omittingEmptySubsequences: false).count == times + 1)
        let last = lines.suffix(3).map { $0.replacing("\r", with: "") }
        #expect(last.first?.hasSuffix("status \(status)") == true && last.dropFirst() == ["icanon", "echo"], "\(last)")
    }

    /// Whether a process is stopped (proc(5)).
    private static func isStopped(_ process: pid_t) async -> Bool {
        await Task.yield()
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ") T"
        return text.split(separator: ") ").last?.hasPrefix("T") ?? true
    }
}
