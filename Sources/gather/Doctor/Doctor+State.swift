// Where the daemon keeps its state: whose it is, and whether there is room.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

extension Doctor {
    /// So much should be free: the journal and an index beside the one that it replaces.
    private static var roomWanted: UInt64 { 256 << 20 }

    mutating func examineState() {
        guard place != .other else { return }
        let quoted = ShellText.quoted(stateDirectory)
        let entry: EntryFacts
        switch facts.entry(at: stateDirectory) {
        case .success(let facts): entry = facts
        case .failure(let failure):
            if failure.code == ErrorCode.missing {
                note(daemon == nil ? .note : .warning, "state", "\(stateDirectory) is not there yet: nothing was saved")
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
                "\(stateDirectory) is open to others (mode \(String(entry.access.mode & 0o7777, radix: 8))), and tells the names of files",
                command: asRoot("chmod 700 \(quoted)"))
        }
        if let free = facts.freeBytes(at: stateDirectory) {
            if free < Self.roomWanted {
                isFine = false
                note(
                    .warning, "state",
                    "\(Readable.size(Int64(clamping: free))) free in \(stateDirectory): changes may not be saved soon",
                    command: "df -h \(quoted)")
            } else if isFine {
                note(.fine, "state", "\(stateDirectory), \(Readable.size(Int64(clamping: free))) free")
            }
        }
    }
}
