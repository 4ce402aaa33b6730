// Examines the state directory: its owner, its mode and its free space.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

extension Doctor {
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
                .warning, "state", "\(roomText(room)) in \(stateDirectory), so saving may fail soon",
                command: "df \(room.freeFiles == 0 ? "-i" : "-h") \(quoted)")
        } else if isFine {
            note(.fine, "state", "\(stateDirectory), \(roomText(room))")
        }
    }

    /// Returns the room on a file system in words.
    func roomText(_ room: RoomFacts) -> String {
        room.freeFiles == 0
            ? "no more files can be made"
            : "\(Readable.size(Int64(clamping: room.free)))\(room.free < 1_000 ? " bytes" : "") free"
    }
}
