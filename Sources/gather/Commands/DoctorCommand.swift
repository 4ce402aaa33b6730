// gather doctor: faults of the daemon and its machine, and the commands that mend them.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import GatherService
internal import Glibc

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for faults of the daemon and its machine, and print what mends them.",
        usage: "gather doctor [<options>]",
        discussion: """
            Looks at the daemon, its units, its configuration and the kernel's limits. For each container it looks whether the \
            daemon may read it and gets its changes. If a container is shared, it looks at the settings of Syncthing. \
            Without a daemon it looks at the rest. Nothing is changed. Root sees more.

            The status is 1 if there is something to mend (warning, problem).

            EXAMPLES
              gather doctor
              sudo gather doctor --quiet
              gather --user doctor
              gather doctor --json | jq -r '.findings[].command // empty'
            """)

    @Flag(help: "Print only the faults.")
    var quiet = false

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var helper: HelperOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func run() throws {
        let socket = connection.daemon
        let helper = helper.target(connection)
        let place: Doctor<LinuxFacts>.Place =
            socket.path == DaemonSocket.find(.system).path
            ? .system : socket.path == DaemonSocket.find(.user).path ? .user : .other
        let paths = place == .system ? DaemonPaths(userID: 0, environment: [:]) : DaemonPaths.current
        var doctor = Doctor(
            LinuxFacts(connection: connection.target, helper: helper), place: place, socket: socket.path,
            words: connection.words, startCommand: socket.startCommand, helperStartCommand: helper.startCommand,
            version: Version.current, configurationFile: paths.configuration,
            stateDirectory: paths.stateDirectory)
        let findings = doctor.examine()
        let shown = quiet ? findings.filter { $0.level >= .warning } : findings
        let isWell = !findings.contains { $0.level >= .warning }
        var output = Output()
        if json {
            var line = JSONLine()
            line.add("ok", isWell)
            line.add("findings", shown.map(\.object))
            output.line(line.bytes())
        } else {
            for line in DoctorCommand.lines(shown, color: Terminal.hasColor()) { output.line(line) }
        }
        output.flush()
        if !isWell { throw ExitCode(ExitStatus.failure) }
    }

    /// Returns the lines of findings, each followed by its command.
    static func lines(_ findings: [Finding], color: Bool) -> [String] {
        let width = findings.map(\.subject.count).max() ?? 0
        return findings.flatMap { finding in
            let (mark, paint): (String, Color) =
                switch finding.level {
                case .fine: ("ok", .green)
                case .note: ("note", .cyan)
                case .warning: ("warning", .yellow)
                case .problem: ("problem", .red)
                }
            let padding = String(repeating: " ", count: 7 - mark.count)
            let subject = finding.subject + String(repeating: " ", count: width - finding.subject.count)
            let line =
                "\(paint.paint(mark, if: color))\(padding)  \(Color.bold.paint(subject, if: color))  \(finding.text)"
            return [line] + (finding.command.map { [String(repeating: " ", count: width + 11) + $0] } ?? [])
        }
    }
}
