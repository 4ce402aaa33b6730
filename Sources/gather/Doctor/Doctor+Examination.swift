// The order of an examination, the daemon, and the caller's access to it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

extension Doctor {
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
