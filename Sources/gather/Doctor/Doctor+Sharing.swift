// Examines the sharing with other devices.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

extension Doctor {
    private static var subject: String { "sharing" }

    /// Notes the findings of the sharing helper, if any container is shared.
    mutating func examineSharing() {
        let shared = containers.filter(\.isShared)
        guard !shared.isEmpty else { return }
        let findings: [SharingFinding]
        switch facts.sharing() {
        case .success(let found): findings = found
        case .failure(let failure):
            let text = failure.statement
            return note(
                failure.isDenied ? .note : .problem, Self.subject,
                failure.isDenied
                    ? text : text + "; containers are not shared meanwhile, and sync attributes are unknown",
                command: failure.isDenied
                    ? lookAgainAtSharing
                    : failure.isSilent
                        ? helperStartCommand.replacing("systemctl start", with: "systemctl restart")
                        : helperStartCommand)
        }
        for finding in findings {
            // Words of other machines go to a terminal.
            var text = DisplayText.escaped(finding.message)
            var command: String?
            if let remedy = finding.remedy.map({ DisplayText.escaped($0) }) {
                if Self.isCommand(remedy) { command = remedy } else { text += "; " + remedy }
            }
            note(Self.level(of: finding.kind), finding.container?.rawValue ?? Self.subject, text, command: command)
        }
        if !findings.contains(where: { Self.level(of: $0.kind) >= .warning }) {
            let count = Readable.count(shared.count, "container is", "containers are")
            note(.fine, Self.subject, "\(count) shared, and Syncthing has the right settings")
        }
    }

    private var lookAgainAtSharing: String? { place == .system ? gather("doctor", isRoots: true) : nil }

    /// Whether a remedy is a command for a shell: it begins with a program, not with a capital letter, and is no
    /// sentence.
    private static func isCommand(_ remedy: String) -> Bool {
        let programs = ["gather", "sudo", "systemctl", "syncthing", "mkdir", "journalctl", "timedatectl", "apt-get"]
        return programs.contains { remedy.hasPrefix($0 + " ") } && !remedy.contains(", ")
    }

    /// Returns the level of a finding. A warning makes the exit status 1, so what a person may well want is a note.
    static func level(of kind: SharingFinding.Kind) -> Finding.Level {
        switch kind {
        // Debian 12 has such a version.
        case .oldVersion: .note
        // Patterns may be meant, and versions in conflict are for gather conflicts.
        case .ignored, .conflict: .note
        case .notRunning, .stranger, .tls, .noFolder, .otherPath, .marker, .folderError, .maxConflicts: .problem
        default: .warning
        }
    }
}
