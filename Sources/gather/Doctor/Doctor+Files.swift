// Examines the configuration and the state directory: the daemon's access, owners, modes and free space.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

extension Doctor {
    mutating func examineConfiguration() {
        guard place != .other else { return }
        let hidden = examineConfigurationAccess()
        switch facts.configuration(configurationFile) {
        case .success(let facts):
            configuration = facts
            for text in facts.leftOut { note(.problem, "configuration", text) }
            let count = Readable.count(facts.containers.count, "container", "containers")
            if case .failure(let failure) = self.facts.entry(at: configurationFile), failure.code == ErrorCode.missing {
                note(.fine, "configuration", "there is no \(configurationFile), and none is needed: \(count) in files")
            } else if facts.leftOut.isEmpty {
                note(.fine, "configuration", "\(configurationFile) is in order: \(count)")
            }
            if containers.isEmpty {
                note(
                    .note, "configuration", "nothing is watched",
                    command: gather("container add", "NAME DIRECTORY", isRoots: true))
            }
        case .failure where hidden != nil:
            // The files may be closed to other users on purpose.
            let path = hidden ?? configurationFile
            note(
                .note, "configuration", "this user may not read \(DisplayText.escaped(path)), so it was not looked at",
                command: lookAgain(at: path))
        case .failure(let failure):
            note(
                .problem, "configuration", failure.message,
                command: place == .system ? asRoot("gatherd --check-config") : "gatherd --check-config")
        }
    }

    /// Notes each configuration file that the daemon may not read. Returns the first one that the caller may not read.
    /// The caller may have other rights than the daemon.
    private mutating func examineConfigurationAccess() -> String? {
        let end = configurationFile.lastIndex(of: "/") ?? configurationFile.startIndex
        let directory = configurationFile[..<end] + "/containers.d"
        let names = facts.files(in: String(directory)) ?? []
        let files = names.filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.sorted().map { directory + "/" + $0 }
        var hidden: String?
        for path in [String(configurationFile[..<end]), configurationFile, String(directory)] + files {
            guard case .success(let entry) = facts.entry(at: path) else {
                if case .failure(let failure) = facts.entry(at: path), failure.code == ErrorCode.access {
                    hidden = hidden ?? path
                }
                continue
            }
            // The first directory is only searched, not listed.
            let wanted: Permissions = !entry.isDirectory ? .read : path == directory ? [.read, .search] : .search
            if !facts.caller.may(wanted, entry.access) { hidden = hidden ?? path }
            guard let servant, !servant.readsEverything, !servant.credentials.may(wanted, entry.access) else {
                continue
            }
            let accounts = Accounts(facts)
            let mode = String(entry.access.mode & 0o7777, radix: 8)
            let group = accounts.group(servant.credentials.groups.last ?? 0)
            let quoted = ShellText.quoted(path)
            note(
                .problem, "configuration",
                "\(servant.name) may not read \(DisplayText.escaped(path)) (mode \(mode), "
                    + "\(accounts.user(entry.access.owner)):\(accounts.group(entry.access.group))): "
                    + "a reload is refused, and the next start fails",
                command: asRoot("chgrp \(group) \(quoted)") + " && "
                    + asRoot("chmod g+r\(entry.isDirectory ? "x" : "") \(quoted)"))
        }
        return hidden
    }

    // MARK: The state directory

    /// The free space that the journal and one more index need, in bytes.
    private static var roomWanted: UInt64 { 256 << 20 }

    /// Notes that the daemon cannot save its state, with the reason.
    private mutating func examineSnapshots() {
        guard let daemon, daemon.savingError != nil || daemon.metrics["gatherd_changes_unsaved"] == 1 else { return }
        let since = daemon.unsavedSince.map { " since \($0)" } ?? ""
        note(
            .problem, "state",
            "gatherd cannot save its state\(since): \(daemon.savingError ?? "its log says why"); after a restart it "
                + "would compare all containers, and live queries would start over",
            command: place == .other
                ? nil : "findmnt -T \(ShellText.quoted(stateDirectory)); df -h \(ShellText.quoted(stateDirectory))")
    }

    mutating func examineState() {
        examineSnapshots()
        guard place != .other else { return }
        let quoted = ShellText.quoted(stateDirectory)
        let entry: EntryFacts
        switch facts.entry(at: stateDirectory) {
        case .success(let facts): entry = facts
        case .failure(let failure):
            if failure.code == ErrorCode.missing {
                note(
                    daemon == nil ? .note : .warning, "state",
                    "\(stateDirectory) does not exist, so nothing is saved there")
            } else {
                note(
                    .note, "state", "\(stateDirectory): \(ErrorCode.text(failure.code)); root may look",
                    command: lookAgain(at: stateDirectory))
            }
            return
        }
        var isFine = true
        if let servant, entry.access.owner != servant.credentials.user {
            isFine = false
            let owner = Accounts(facts).user(entry.access.owner)
            note(
                .problem, "state", "\(stateDirectory) belongs to \(owner), and gatherd runs as \(servant.name)",
                command: asRoot("chown -R \(servant.name): \(quoted)"))
        }
        if entry.access.mode & 0o077 != 0 {
            isFine = false
            note(
                .warning, "state",
                "\(stateDirectory) is open to others (mode \(String(entry.access.mode & 0o7777, radix: 8))), and holds the names of files",
                command: asRoot("chmod 700 \(quoted)"))
        }
        guard let room = facts.room(at: stateDirectory) else { return }
        if room.free < Self.roomWanted || room.freeFiles == 0 {
            isFine = false
            note(
                .warning, "state", "\(room.text) in \(stateDirectory), so saving may fail soon",
                command: "df \(room.freeFiles == 0 ? "-i" : "-h") \(quoted)")
        } else if isFine {
            note(.fine, "state", "\(stateDirectory), \(room.text)")
        }
    }
}
