// A container as the daemon describes it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// How a container is.
public struct ContainerStatus: Sendable, Hashable, Identifiable {
    /// How well the daemon knows a container. States may be added; take one that you do not know for not live.
    public struct State: RawRepresentable, Sendable, Hashable {
        /// The state's name.
        public let rawValue: String

        /// A state from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Being read for the first time.
        public static let crawling = State(rawValue: "crawling")
        /// Known from before and being compared.
        public static let verifying = State(rawValue: "verifying")
        /// Exact: every change is seen as it happens.
        public static let live = State(rawValue: "live")
        /// Part of the tree is polled, because a limit was reached or its file system reports no changes.
        public static let degraded = State(rawValue: "degraded")
        /// The directory is missing or unreadable.
        public static let unavailable = State(rawValue: "unavailable")

        /// Whether it is on its way to being live.
        public var isTemporary: Bool { self == .crawling || self == .verifying }
    }

    /// The container's identifier.
    public let identifier: String
    /// Its directory.
    public let path: String
    /// How well the daemon knows it.
    public let state: State
    /// Why it is not live.
    public let reason: String?
    /// Where it comes from: a configuration file's path, `runtime` or `argument`.
    public let origin: String
    /// How many entries it holds: those inside packages too, which a query finds only where it asks for them.
    public let items: Int
    /// How many of them are directories.
    public let directories: Int
    /// How many directories are watched.
    public let watches: Int
    /// How many directories are polled because they cannot be watched.
    public let polled: Int
    /// How many directories cannot be read.
    public let unreadable: Int
    /// The file extensions that make a directory one item.
    public let packages: [String]
    /// The names that are not read.
    public let ignore: [String]
    /// Its clock.
    public let clock: String
    /// The attributes that take system calls of their own for each item and are known here, since a query has asked for one
    /// of them.
    public let filledAttributes: [String]
    /// The memory that those take, in bytes.
    public let filledBytes: Int
    /// How many directories are still to be read, while it is read or compared.
    public let outstandingDirectories: Int

    /// The identifier.
    public var id: String { identifier }

    init(_ description: ContainerDescription) {
        identifier = description.identifier
        path = description.path
        state = State(rawValue: description.state.rawValue)
        reason = description.reason
        origin = description.origin
        items = Int(clamping: description.items)
        directories = Int(clamping: description.directories)
        watches = Int(clamping: description.watches)
        polled = Int(clamping: description.polled)
        unreadable = Int(clamping: description.unreadable)
        packages = description.packages
        ignore = description.ignore
        clock = description.clock
        filledAttributes = description.filled ?? []
        filledBytes = Int(clamping: description.filledBytes ?? 0)
        outstandingDirectories = Int(clamping: description.outstanding ?? 0)
    }
}

/// What a rescan found that the index did not have.
public struct RescanResult: Sendable, Hashable {
    /// Entries that were missing from the index.
    public let added: Int
    /// Entries that were different.
    public let changed: Int
    /// Entries that are no longer there.
    public let removed: Int

    init(_ reply: ContainerInterface.Rescan.Reply) {
        added = Int(clamping: reply.added)
        changed = Int(clamping: reply.changed)
        removed = Int(clamping: reply.removed)
    }
}
