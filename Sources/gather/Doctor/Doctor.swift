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

    private(set) var findings: [Finding] = []
    private(set) var daemon: DaemonFacts?
    var configuration: ConfigurationFacts?
    /// The properties of the units, by unit; empty without systemd.
    var units: [String: [String: String]] = [:]
    /// The user that the daemon runs as; nil if it is unknown.
    private(set) var servant: Servant?

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

    /// Examines everything. Returns the findings in the order of the examination.
    mutating func examine() -> [Finding] {
        findings = []
        askUnits()
        askDaemon()
        examineUnits()
        servant = findServant()
        examineCaller()
        examineConfiguration()
        examineLimits()
        for container in containers { examine(container) }
        examineSharing()
        examineState()
        return findings
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

    // MARK: The daemon

    private mutating func askDaemon() {
        if isAsleep {
            return note(
                .note, "daemon", "gatherd does not run; the first connection starts it, which this command avoids",
                command: gather("status"))
        }
        switch facts.daemon() {
        case .success(let facts):
            daemon = facts
            note(.fine, "daemon", "gatherd \(facts.version) answers at \(socket), process \(facts.process)")
            if facts.version != version {
                note(
                    .warning, "daemon", "it is version \(facts.version), and this command \(version)",
                    command: place == .other ? nil : systemctl("restart gatherd"))
            }
            if let types = facts.contentTypes, types == 0 { noteMissingTypes() }
        case .failure(let failure):
            // A caller without access gets a finding of its own below.
            guard !failure.isDenied else { return }
            note(
                .problem, "daemon", failure.statement,
                command: failure.isSilent
                    ? place == .other ? "ps -C gatherd -o pid,stat,args" : systemctl("restart gatherd") : startCommand)
        }
    }

    /// The command that shows the latest messages of the daemon; nil if they are not in a journal.
    var journal: String? {
        guard place != .other, hasSystemd else { return nil }
        return place == .user ? "journalctl --user -u gatherd -n 30" : asRoot("journalctl -u gatherd -n 30")
    }

    /// Notes a missing database. Every contentType is null then, and a query for one finds nothing.
    private mutating func noteMissingTypes() {
        note(
            .warning, "daemon",
            "the shared MIME-info database is missing, so no file has a contentType; install it and restart gatherd",
            command: asRoot("apt-get install shared-mime-info") + (restart.map { " && " + $0 } ?? ""))
    }

    // MARK: The caller

    /// Notes whether the caller may connect.
    private mutating func examineCaller() {
        guard case .success(let entry) = facts.entry(at: socket), entry.isSocket else { return }
        let caller = facts.caller
        if caller.may(.write, entry.access) {
            return note(.fine, "access", "this user may connect to \(socket)")
        }
        let accounts = Accounts(facts)
        let group = accounts.group(entry.access.group)
        let name = accounts.user(caller.user)
        guard group != "root", entry.access.mode & 0o020 != 0 else {
            return note(
                .problem, "access", "\(socket) is for \(accounts.user(entry.access.owner)) alone",
                command: place == .system ? systemctl("restart gatherd.socket gatherd") : nil)
        }
        if accounts.isMember(name, of: entry.access.group) {
            note(
                .problem, "access", "\(name) is in the group \(group), and this session began before that",
                command: "newgrp \(group)")
        } else {
            note(
                .problem, "access", "\(name) is not in the group \(group), which may connect; log in again after",
                command: asRoot("adduser \(name) \(group)"))
        }
    }
}
