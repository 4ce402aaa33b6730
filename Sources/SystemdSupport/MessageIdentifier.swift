// The kinds of log messages, each with an identifier that never changes.
// SPDX-License-Identifier: Apache-2.0

package import Logging

/// A kind of log message. `journalctl MESSAGE_ID=…` finds all messages of a kind. The catalog
/// (`Packaging/systemd/gatherd.catalog`, shown by `journalctl -x`) explains it.
///
/// Code that logs does not import this target. It names the kind under the metadata key ``metadataKey``:
/// `logger.warning("…", metadata: ["message-id": "watch-limit-reached", …])`.
package enum MessageIdentifier: String, CaseIterable, Sendable {
    case started
    case containerLive = "container-live"
    /// The kernel's event queue overflowed. All containers are being compared.
    case overflow
    case watchLimitReached = "watch-limit-reached"
    /// The file system of a container does not report all changes.
    case polledFileSystem = "polled-file-system"
    case unreadableDirectory = "unreadable-directory"
    /// The self-audit has read every directory of a container.
    case selfAudit = "self-audit"
    case containerUnavailable = "container-unavailable"
    case containerAvailable = "container-available"
    /// A subscriber reads slowly. Its pending changes are merged.
    case subscriberMerged = "subscriber-merged"
    /// A live query ended because its subscriber had too many pending changes.
    case liveQueryEnded = "live-query-ended"
    case configurationReloaded = "configuration-reloaded"
    case reloadRefused = "reload-refused"
    /// A part of the saved state is unusable.
    case stateSetAside = "state-set-aside"
    /// The state cannot be saved.
    case stateUnsaved = "state-unsaved"
    /// Watches that should have survived a restart are missing.
    case watchesMissing = "watches-missing"
    /// Access control lists of items could not be read or kept.
    case accessListsMissing = "access-lists-missing"
    /// The shared MIME-info database is missing, so no file has a content type.
    case contentTypesMissing = "content-types-missing"
    /// No connection can be accepted for lack of descriptors or memory.
    case connectionsRefused = "connections-refused"
    case stopping

    /// The metadata key for the kind of a message.
    package static let metadataKey = "message-id"

    /// The kind as metadata.
    package var metadata: Logger.Metadata { [MessageIdentifier.metadataKey: .string(rawValue)] }

    /// The 128 bits of `MESSAGE_ID=`, made once with `systemd-id128 new`. Never change or reuse one.
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
        case .contentTypesMissing: "39d865e16af7426694629df7cd8ba1bd"
        case .connectionsRefused: "46e585c7169740829fddf80c4c99e647"
        case .stopping: "fe12cc2de602428197fb1d59e5dd0354"
        }
    }
}
