// The kinds of message that operators search the journal for, each with an identifier that never changes.
// SPDX-License-Identifier: Apache-2.0

package import Logging

/// A kind of log message. `journalctl MESSAGE_ID=…` finds all messages of one kind, whatever their words are, and the
/// catalog (`Packaging/systemd/gatherd.catalog`, shown by `journalctl -x`) explains it.
///
/// Code that logs does not import this target; it names the kind under the metadata key ``metadataKey``:
/// `logger.warning("…", metadata: ["message-id": "watch-limit-reached", …])`.
package enum MessageIdentifier: String, CaseIterable, Sendable {
    case started
    case containerLive = "container-live"
    /// The kernel's event queue overflowed; tree and index are being compared.
    case overflow
    case watchLimitReached = "watch-limit-reached"
    /// A container's file system does not tell of all changes.
    case polledFileSystem = "polled-file-system"
    case unreadableDirectory = "unreadable-directory"
    /// The self-audit has seen a container as a whole.
    case selfAudit = "self-audit"
    case containerUnavailable = "container-unavailable"
    case containerAvailable = "container-available"
    /// A subscriber reads slowly; what it has not taken is merged.
    case subscriberMerged = "subscriber-merged"
    /// A live query ended since its subscriber had too much to take.
    case liveQueryEnded = "live-query-ended"
    case configurationReloaded = "configuration-reloaded"
    case reloadRefused = "reload-refused"
    /// Something of the saved state was of no use.
    case stateSetAside = "state-set-aside"
    /// The state cannot be saved.
    case stateUnsaved = "state-unsaved"
    /// Watches that should have outlived a restart were not there.
    case watchesMissing = "watches-missing"
    /// Access control lists of items could not be read or kept.
    case accessListsMissing = "access-lists-missing"
    case stopping

    /// The metadata key under which a log message names its kind.
    package static let metadataKey = "message-id"

    /// The kind as metadata.
    package var metadata: Logger.Metadata { [MessageIdentifier.metadataKey: .string(rawValue)] }

    /// The 128 bits as `MESSAGE_ID=` has them. They were made once with `systemd-id128 new`; never change or reuse one.
    package var identifier: String {
        switch self {
        case .started: "65faa037dbb54b4d937d8c828b4e12cb"
        case .containerLive: "776e19030b924e4dacb230f69b45c7c3"
        case .overflow: "c7b2186362fc4f43aa6fca22ab950b32"
        case .watchLimitReached: "f2f63e31d1fb40a984a350d6b4b17dbf"
        case .polledFileSystem: "d3ba2f5d45a14bd8853cf46c2326c39e"
        case .unreadableDirectory: "6a8dfb232edb42159d4b0c0da0c03047"
        case .selfAudit: "78ece94c0abe4169aca8e00e06c38b86"
        case .containerUnavailable: "e67609aa545b4c30b5b7948e4f86efca"
        case .containerAvailable: "ceee0e90c76d4469b78ca44de98e13ce"
        case .subscriberMerged: "04e58ea467b74348b275a294fcb8a3ce"
        case .liveQueryEnded: "3dcc8f207ef748b98222a5cc86f8ff15"
        case .configurationReloaded: "6c7830195d0a4269b0dc74397bf75532"
        case .reloadRefused: "d53216d5903d48ab87b80e54ba82dcc5"
        case .stateSetAside: "c2de4b9c222f4337a7facb41af1d04d2"
        case .stateUnsaved: "272c725d602442f5bffd3c175a017ebe"
        case .watchesMissing: "cd1581e81c0f34718e85563776c6b1db"
        case .accessListsMissing: "911ee14cb2ea4a19a1fb98a78e8bdb3c"
        case .stopping: "fe12cc2de602428197fb1d59e5dd0354"
        }
    }
}
