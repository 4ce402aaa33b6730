// A folder of Syncthing inside a shared container.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// A folder of Syncthing inside a shared container. A container has one or two of its own: its documents are a folder for
/// themselves.
public struct SharedFolder: Sendable, Hashable, Identifiable {
    /// The part of a folder that another device has.
    public struct Share: Sendable, Hashable {
        /// The identifier of the device.
        public let device: String
        /// The part that it has, in percent of the bytes.
        public let completion: Double
        /// The number of items that it does not have in their present version.
        public let missingItems: Int
        /// The bytes of these items.
        public let missingBytes: Int

        /// Makes a share from its parts.
        package init(device: String, completion: Double = 100, missingItems: Int = 0, missingBytes: Int = 0) {
            self.device = device
            self.completion = completion
            self.missingItems = missingItems
            self.missingBytes = missingBytes
        }

        init(_ share: FolderShare) {
            self.init(
                device: share.device, completion: share.completion, missingItems: Int(clamping: share.missing),
                missingBytes: Int(clamping: share.missingBytes))
        }
    }

    /// Syncthing's identifier of the folder.
    public let identifier: String
    /// The container that holds it.
    public let container: ContainerIdentifier
    /// Its directory.
    public let path: String
    /// Syncthing's word for its state: `idle`, `scanning`, `syncing`, `error` and others.
    public let state: String
    /// The reason for which it stands still; nil if it does not.
    public let error: String?
    /// Whether a person has paused it.
    public let isPaused: Bool
    /// The number of items that are here.
    public let items: Int
    /// The bytes of these items.
    public let bytes: Int
    /// The number of items of other devices that are not here yet.
    public let missingItems: Int
    /// The bytes of the items that are not here yet.
    public let missingBytes: Int
    /// The devices that it is shared with.
    public let shares: [Share]

    /// The identifier.
    public var id: String { identifier }

    /// Whether all devices are known to have the same items as this one.
    public var isInStep: Bool {
        error == nil && !isPaused && missingItems == 0 && shares.allSatisfy { $0.missingItems == 0 }
    }

    /// Makes a folder from its parts.
    package init(
        identifier: String, container: ContainerIdentifier, path: String, state: String = "idle", error: String? = nil,
        isPaused: Bool = false, items: Int = 0, bytes: Int = 0, missingItems: Int = 0, missingBytes: Int = 0,
        shares: [Share] = []
    ) {
        self.identifier = identifier
        self.container = container
        self.path = path
        self.state = state
        self.error = error
        self.isPaused = isPaused
        self.items = items
        self.bytes = bytes
        self.missingItems = missingItems
        self.missingBytes = missingBytes
        self.shares = shares
    }

    init(_ folder: SharedFolderMessage) {
        identifier = folder.identifier
        container = ContainerIdentifier(folder.container)
        path = folder.path
        state = folder.state
        error = folder.error.flatMap { $0.isEmpty ? nil : $0 }
        isPaused = folder.paused ?? false
        items = Int(clamping: folder.items)
        bytes = Int(clamping: folder.bytes)
        missingItems = Int(clamping: folder.missing)
        missingBytes = Int(clamping: folder.missingBytes)
        shares = folder.shares.map { Share($0) }
    }
}
