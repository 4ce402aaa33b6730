// Looks at everything that gatherd needs of a machine, and says what to do where it is missing.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

/// An examination of one daemon and of the machine around it. It changes nothing, and says as much as it can where no
/// daemon runs.
struct Doctor<Facts: SystemFacts> {
    /// Which daemon is meant.
    enum Place: Equatable {
        case system
        case user
        /// One with a socket of its own, of which no unit is known.
        case other
    }

    let facts: Facts
    let place: Place
    let socket: String
    /// The options by which the daemon was meant, for commands that are advised.
    let words: String
    let startCommand: String
    /// The version of this command.
    let version: String
    let configurationFile: String
    let stateDirectory: String

    private(set) var findings: [Finding] = []
    private(set) var daemon: DaemonFacts?
    var configuration: ConfigurationFacts?
    /// The properties of the units, by unit; empty where there is no systemd to ask.
    var units: [String: [String: String]] = [:]
    /// As whom the daemon looks at files; nil where that is not known.
    private(set) var servant: Servant?

    init(
        _ facts: Facts, place: Place, socket: String, words: String, startCommand: String, version: String,
        configurationFile: String, stateDirectory: String
    ) {
        self.facts = facts
        self.place = place
        self.socket = socket
        self.words = words
        self.startCommand = startCommand
        self.version = version
        self.configurationFile = configurationFile
        self.stateDirectory = stateDirectory
    }

    /// Looks at everything, and returns what was found in the order in which it is looked at.
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
        examineState()
        return findings
    }

    mutating func note(_ level: Finding.Level, _ subject: String, _ text: String, command: String? = nil) {
        findings.append(Finding(level, subject, text, command: command))
    }

    /// A command that takes root.
    func asRoot(_ command: String) -> String { facts.caller.user == 0 ? command : "sudo " + command }

    /// A command to this daemon. Root's right to it is wanted for the system's alone: for root another is a user's own.
    func gather(_ command: String, _ operands: String = "", isRoots: Bool = false) -> String {
        let line = "gather \(command)\(words)\(operands.isEmpty ? "" : " " + operands)"
        return isRoots && place == .system ? asRoot(line) : line
    }

    /// What lets see more: root may look everywhere, and of a daemon that is not the system's root has another.
    func lookAgain(at path: String) -> String {
        place == .system ? gather("doctor", isRoots: true) : "namei -l \(ShellText.quoted(path))"
    }

    /// What makes the queue of the kernel as long as the limit is.
    var restart: String? { place == .other ? nil : systemctl("restart gatherd") }

    /// A command about the units of this daemon.
    func systemctl(_ arguments: String) -> String {
        place == .user ? "systemctl --user \(arguments)" : asRoot("systemctl \(arguments)")
    }

    /// The containers as the daemon has them; without one as the files have them.
    var containers: [ContainerFacts] { daemon?.containers ?? configuration?.containers ?? [] }

    // MARK: The daemon

    private mutating func askDaemon() {
        if isAsleep {
            return note(
                .note, "daemon", "gatherd does not run, and to look changes nothing; the first question starts it",
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
            if facts.metrics["gatherd_changes_unsaved"] == 1 {
                note(
                    .problem, "daemon", "changes cannot be saved, so a restart would cost a comparison and clocks",
                    command: place == .other ? nil : journal)
            }
        case .failure(let failure):
            // Who may not ask is told so below.
            guard !failure.isDenied else { return }
            // The command stands below.
            let text = failure.message.split(separator: ". Start it with:").first.map(String.init) ?? failure.message
            note(.problem, "daemon", text, command: startCommand)
        }
    }

    /// A command that shows what the daemon said of late.
    var journal: String {
        place == .user ? "journalctl --user -u gatherd -n 30" : asRoot("journalctl -u gatherd -n 30")
    }

    // MARK: The caller

    /// Whether who asks may ask.
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
                command: place == .system ? asRoot("systemctl restart gatherd.socket gatherd") : nil)
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
