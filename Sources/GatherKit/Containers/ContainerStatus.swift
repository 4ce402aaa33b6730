// A container as the daemon describes it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
package import Metadata

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

    private let description: ContainerDescription

    /// The container's identifier.
    public var identifier: ContainerIdentifier { ContainerIdentifier(description.identifier) }
    /// The directory.
    public var path: String { description.path }
    /// The state.
    public var state: State { State(rawValue: description.state.rawValue) }
    /// The reason for which it is not live.
    public var reason: String? { description.reason }
    /// The time since when an unavailable container is so, as far as the daemon knows; nil in other states.
    public var since: Timestamp? { description.since.flatMap { Timestamp(rfc3339: $0) } }
    /// The origin: a configuration file's path, `runtime` or `argument`.
    public var origin: String { description.origin }
    /// The number of entries. It includes entries inside packages, which most queries do not find.
    public var items: Int { Int(clamping: description.items) }
    /// The number of directories among them.
    public var directories: Int { Int(clamping: description.directories) }
    /// The number of watched directories.
    public var watches: Int { Int(clamping: description.watches) }
    /// The number of directories that are polled because they cannot be watched.
    public var polled: Int { Int(clamping: description.polled) }
    /// The number of polled directories that would be watched if there were more inotify watches.
    public var overLimit: Int { Int(clamping: description.overLimit ?? 0) }
    /// The number of directories that cannot be read.
    public var unreadable: Int { Int(clamping: description.unreadable) }
    /// A few of the directories that cannot be read; empty for a caller that does not see every item.
    public var unreadablePaths: [String] { description.unreadablePaths ?? [] }
    /// The file extensions that make a directory one item.
    public var packages: [String] { description.packages }
    /// The names that are not read.
    public var ignore: [String] { description.ignore }
    /// The clock of the container.
    public var clock: DaemonClock { DaemonClock(rawValue: description.clock) }
    /// The attributes that take extra system calls for each item and are known here, since a query has requested one of
    /// them.
    public var filledAttributes: [String] { description.filled ?? [] }
    /// The memory for these attributes, in bytes.
    public var filledBytes: Int { Int(clamping: description.filledBytes ?? 0) }
    /// The number of directories that are still to be read; nil if none are.
    public var outstandingDirectories: Int { Int(clamping: description.outstanding ?? 0) }
    /// The program that shares the container with other devices, `syncthing`; nil if it is not shared.
    public var sync: String? { description.sync }
    /// The identity by which the daemon knows the container; nil if it has none. It stays while another directory is at the path.
    public var identity: ContainerIdentity? { description.mark.map { ContainerIdentity(rawValue: $0) } }
    /// The mark by which the daemon knows the container, with its directory.
    package var mark: ContainerMark? {
        description.mark.flatMap { ContainerToken(contents: $0.utf8) }.map {
            ContainerMark($0, in: description.markedDirectory.flatMap(ContainerMark.directory))
        }
    }

    /// The identifier.
    public var id: ContainerIdentifier { identifier }

    init(_ description: ContainerDescription) { self.description = description }
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
