// A container as the daemon describes it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// The status of a container.
public struct ContainerStatus: Sendable, Hashable, Identifiable {
    /// The state of a container. States may be added; treat an unknown one as not live.
    public struct State: RawRepresentable, Sendable, Hashable {
        /// The state's name.
        public let rawValue: String

        /// Makes a state from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The tree is read for the first time.
        public static let crawling = State(rawValue: "crawling")
        /// The saved index is compared with the tree.
        public static let verifying = State(rawValue: "verifying")
        /// Exact: every change is seen as it happens.
        public static let live = State(rawValue: "live")
        /// Part of the tree is polled or does not answer. A limit was reached, its file system reports no changes, or a
        /// mount is silent.
        public static let degraded = State(rawValue: "degraded")
        /// The directory is missing or unreadable.
        public static let unavailable = State(rawValue: "unavailable")

        /// Whether the state is temporary, until the container has been read.
        public var isTemporary: Bool { self == .crawling || self == .verifying }
    }

    /// The container's identifier.
    public let identifier: ContainerIdentifier
    /// The directory.
    public let path: String
    /// The state.
    public let state: State
    /// The reason for which it is not live.
    public let reason: String?
    /// The time since when an unavailable container is so, as far as the daemon knows; nil in other states.
    public let since: Timestamp?
    /// The origin: a configuration file's path, `runtime` or `argument`.
    public let origin: String
    /// The number of entries. It includes entries inside packages, which most queries do not find.
    public let items: Int
    /// The number of directories among them.
    public let directories: Int
    /// The number of watched directories.
    public let watches: Int
    /// The number of directories that are polled because they cannot be watched.
    public let polled: Int
    /// The number of polled directories that would be watched if there were more inotify watches.
    public let overLimit: Int
    /// The number of directories that cannot be read.
    public let unreadable: Int
    /// A few of the directories that cannot be read; empty for a caller that does not see every item.
    public let unreadablePaths: [String]
    /// The file extensions that make a directory one item.
    public let packages: [String]
    /// The names that are not read.
    public let ignore: [String]
    /// The clock of the container.
    public let clock: DaemonClock
    /// The attributes that take extra system calls for each item and are known here, since a query has requested one of
    /// them.
    public let filledAttributes: [String]
    /// The memory for these attributes, in bytes.
    public let filledBytes: Int
    /// The number of directories that are still to be read; nil if none are.
    public let outstandingDirectories: Int
    /// The program that shares the container with other devices, `syncthing`; nil if it is not shared.
    public let sync: String?

    /// The identifier.
    public var id: ContainerIdentifier { identifier }

    init(_ description: ContainerDescription) {
        identifier = ContainerIdentifier(description.identifier)
        path = description.path
        state = State(rawValue: description.state.rawValue)
        reason = description.reason
        since = description.since.flatMap { Timestamp(rfc3339: $0) }
        origin = description.origin
        items = Int(clamping: description.items)
        directories = Int(clamping: description.directories)
        watches = Int(clamping: description.watches)
        polled = Int(clamping: description.polled)
        overLimit = Int(clamping: description.overLimit ?? 0)
        unreadable = Int(clamping: description.unreadable)
        unreadablePaths = description.unreadablePaths ?? []
        packages = description.packages
        ignore = description.ignore
        clock = DaemonClock(rawValue: description.clock)
        filledAttributes = description.filled ?? []
        filledBytes = Int(clamping: description.filledBytes ?? 0)
        outstandingDirectories = Int(clamping: description.outstanding ?? 0)
        sync = description.sync
    }
}

/// The differences that a rescan found.
public struct RescanResult: Sendable, Hashable {
    /// Entries that were missing from the index.
    public let added: Int
    /// Entries with other metadata.
    public let changed: Int
    /// Entries that no longer exist.
    public let removed: Int

    init(_ reply: ContainerInterface.Rescan.Reply) {
        added = Int(clamping: reply.added)
        changed = Int(clamping: reply.changed)
        removed = Int(clamping: reply.removed)
    }
}
