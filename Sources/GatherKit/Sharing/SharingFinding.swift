// A mistake in the settings of Syncthing.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// A difference between the settings of Syncthing and those that Gather needs.
public struct SharingFinding: Sendable, Hashable {
    /// The kind of a finding. Kinds may be added; treat an unknown one as worth a look.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// Makes a kind from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Syncthing does not answer.
        public static let notRunning = Kind(rawValue: "notRunning")
        /// The version of Syncthing carries no extended attributes, and so no tags.
        public static let oldVersion = Kind(rawValue: "oldVersion")
        /// A shared container has no folder in Syncthing.
        public static let noFolder = Kind(rawValue: "noFolder")
        /// A folder has another path than its container.
        public static let otherPath = Kind(rawValue: "otherPath")
        /// Syncthing ignores items of a container.
        public static let ignored = Kind(rawValue: "ignored")
        /// Syncthing deletes old versions in conflict.
        public static let maxConflicts = Kind(rawValue: "maxConflicts")
        /// Syncthing compares names without regard to case.
        public static let caseSensitive = Kind(rawValue: "caseSensitive")
        /// Syncthing watches the folder itself.
        public static let ownWatcher = Kind(rawValue: "ownWatcher")
        /// The clocks of two devices are apart.
        public static let clock = Kind(rawValue: "clock")
        /// The marker of a folder is missing.
        public static let marker = Kind(rawValue: "marker")
        /// A folder stands still.
        public static let folderError = Kind(rawValue: "folderError")
        /// Single items are not shared.
        public static let itemErrors = Kind(rawValue: "itemErrors")
        /// A folder or device is paused.
        public static let paused = Kind(rawValue: "paused")
        /// Syncthing's interface wants TLS.
        public static let tls = Kind(rawValue: "tls")
        /// The helper may not write in a container, so it cannot keep versions in conflict apart.
        public static let notWritable = Kind(rawValue: "notWritable")
        /// Another user's program may listen at Syncthing's address, so it does not get the API key.
        public static let stranger = Kind(rawValue: "stranger")
        /// There are versions in conflict.
        public static let conflict = Kind(rawValue: "conflict")
    }

    /// The kind.
    public let kind: Kind
    /// The container, if it is about one.
    public let container: ContainerIdentifier?
    /// The identifier of the device, if it is about one.
    public let device: String?
    /// A sentence for a person, without a full stop.
    public let message: String
    /// A command or a sentence that says what to do, if that is known.
    public let remedy: String?

    /// Makes a finding from its parts.
    public init(
        kind: Kind, container: ContainerIdentifier? = nil, device: String? = nil, message: String, remedy: String? = nil
    ) {
        self.kind = kind
        self.container = container
        self.device = device
        self.message = message
        self.remedy = remedy
    }

    init(_ finding: SharingFindingMessage) {
        self.init(
            kind: Kind(rawValue: finding.kind), container: finding.container.map { ContainerIdentifier($0) },
            device: finding.device,
            message: finding.message, remedy: finding.remedy)
    }
}
