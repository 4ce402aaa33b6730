// Examines everything that gatherd needs on a machine.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

/// An examination of one daemon and its machine. It changes nothing. Without a running daemon, it examines the rest.
struct Doctor<Facts: SystemFacts> {
    /// The kind of daemon.
    enum Place: Equatable {
        case system
        case user
        /// A daemon with a socket of its own and without a known unit.
        case other
    }

    let facts: Facts
    let place: Place
    let socket: String
    /// The options that selected the daemon, for suggested commands.
    let words: String
    let startCommand: String
    /// The command that starts the sharing helper.
    let helperStartCommand: String
    /// The version of this command.
    let version: String
    let configurationFile: String
    let stateDirectory: String

    var findings: [Finding] = []
    var daemon: DaemonFacts?
    var configuration: ConfigurationFacts?
    /// The properties of the units, by unit; empty without systemd.
    var units: [String: [String: String]] = [:]
    /// The user that the daemon runs as; nil if it is unknown.
    var servant: Servant?

    init(
        _ facts: Facts, place: Place, socket: String, words: String, startCommand: String,
        helperStartCommand: String = "", version: String, configurationFile: String, stateDirectory: String
    ) {
        self.facts = facts
        self.place = place
        self.socket = socket
        self.words = words
        self.startCommand = startCommand
        self.helperStartCommand = helperStartCommand
        self.version = version
        self.configurationFile = configurationFile
        self.stateDirectory = stateDirectory
    }

    mutating func note(_ level: Finding.Level, _ subject: String, _ text: String, command: String? = nil) {
        findings.append(Finding(level, subject, text, command: command))
    }

    /// Returns a command that runs as root.
    func asRoot(_ command: String) -> String { facts.caller.user == 0 ? command : "sudo " + command }

    /// Returns a command to this daemon. Only for the system's daemon, `isRoots` adds sudo, since root's own choice
    /// would be another daemon.
    func gather(_ command: String, _ operands: String = "", isRoots: Bool = false) -> String {
        let line = "gather \(command)\(words)\(operands.isEmpty ? "" : " " + operands)"
        return isRoots && place == .system ? asRoot(line) : line
    }

    /// Returns the command that sees more: doctor as root for the system's daemon. Other daemons are not root's, so it
    /// is namei(1).
    func lookAgain(at path: String) -> String {
        place == .system ? gather("doctor", isRoots: true) : "namei -l \(ShellText.quoted(path))"
    }

    /// The command that restarts the daemon; nil if it has no known unit.
    var restart: String? { place == .other ? nil : systemctl("restart gatherd") }

    /// Whether systemd runs this machine (sd_booted(3)).
    var hasSystemd: Bool { if case .success = facts.entry(at: "/run/systemd/system") { true } else { false } }

    /// Returns a command for the units of this daemon; nil without systemd.
    func systemctl(_ arguments: String) -> String? {
        guard hasSystemd else { return nil }
        return place == .user ? "systemctl --user \(arguments)" : asRoot("systemctl \(arguments)")
    }

    /// Returns the command that opens a drop-in of the service for a setting; nil without systemd.
    func editUnit(_ setting: String) -> String? { systemctl("edit gatherd").map { $0 + "  # [Service] " + setting } }

    /// The containers of the daemon, or those of the configuration if the daemon does not answer.
    var containers: [ContainerFacts] { daemon?.containers ?? configuration?.containers ?? [] }

    /// The command that shows the latest messages of the daemon; nil if they are not in a journal.
    var journal: String? {
        guard place != .other, hasSystemd else { return nil }
        return place == .user ? "journalctl --user -u gatherd -n 30" : asRoot("journalctl -u gatherd -n 30")
    }
}
