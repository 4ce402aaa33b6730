// Everything the engine keeps for one container.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LiveQueries
import Metadata
import MetadataIndex

/// One container of a running daemon. Lives on the event loop; its number is never used again.
final class ContainerRecord {
    let number: UInt32
    private(set) var configuration: ContainerConfiguration
    /// The path of its directory, symlinks followed as far as it was there when the container was added.
    let resolvedPath: String
    let entry: IndexTree.Entry
    let registry = LiveQueryRegistry()
    var history: ContainerHistory
    var xattrs: ExtendedAttributeProgress
    var reported = ReportedState()
    var access: ContainerAccess
    /// Updates of live queries that wait while changes are held.
    var held = HeldUpdates<BackgroundUpdate>()
    /// Whether a comparison is under way since the index refused a change.
    var isMending = false
    var accessLists = MissingAccessLists()
    var logged = LoggedLines()
    /// The helper that tells the states of its items, if it is shared.
    var sync: SyncSession?
    /// Which state of its index is saved.
    var snapshotMark = SnapshotMark()

    /// A container of which nothing is known; of the time before the sequence `floor` nothing will be.
    init(number: UInt32, configuration: ContainerConfiguration, floor: UInt64 = 0) {
        self.number = number
        self.configuration = configuration
        resolvedPath = configuration.resolvedPath
        entry = IndexTree.Entry(
            index: MetadataIndex(root: ContainerRecord.unknownRoot), packages: configuration.packages)
        history = ContainerHistory(ClockMap(indexClock: entry.index.clock, floor: floor))
        xattrs = ExtendedAttributeProgress(isFilled: false)
        access = ContainerAccess()
        entry.index.setShared(configuration.sync != nil)
    }

    /// A container as it was saved.
    init(number: UInt32, configuration: ContainerConfiguration, saved: RecoveredState.Container) {
        self.number = number
        self.configuration = configuration
        resolvedPath = configuration.resolvedPath
        entry = IndexTree.Entry(index: saved.index, packages: configuration.packages)
        saved.index.setShared(configuration.sync != nil)
        // Changes from now on are news to subscribers that hold clocks from before.
        entry.recordsCrawl = true
        history = ContainerHistory(saved.clocks)
        // Those that are saved are verified with the rest, and no job reads them once more.
        xattrs = ExtendedAttributeProgress(isFilled: saved.index.knowsXattrs)
        access = ContainerAccess(
            changed: saved.description.accessChanged, ancestorAccess: saved.description.ancestorAccess)
        snapshotMark = SnapshotMark(saved)
    }

    /// Other directories are packages from now on.
    func set(packages: [String]) {
        configuration.packages = packages
        entry.set(packages: packages)
    }

    /// The container is shared from now on, or is not.
    func set(sync: SyncProgram?) {
        configuration.sync = sync
        index.changeShared(sync != nil)
    }

    var index: MetadataIndex { entry.index }

    /// Why questions about extended attributes have no exact answer in a container that has everything else exactly.
    var xattrReason: String? {
        guard index.lacksXattrs else { return nil }
        let limit = (index.xattrLimit + 0xF_FFFF) >> 20
        return "extended attributes of some items are not kept: the container has more than \(limit) MB of them"
    }

    /// Why answers to callers who do not see everything are not exact in a container that is live.
    var accessReason: String? {
        accessLists.areMissing
            ? "access control lists of some items could not be read or kept; users who need them do not find these items"
            : nil
    }

    var identifier: String { configuration.identifier }
    var place: ContainerPlace { ContainerPlace(configuration, resolvedPath: resolvedPath) }
    /// The container's directory with a slash behind it, which the paths of its items begin with.
    var rootPrefix: [UInt8] { Array((configuration.path == "/" ? "/" : configuration.path + "/").utf8) }

    /// The placeholder for the container's directory until it was looked at.
    private static let unknownRoot = FileStatus(
        kind: .directory, mode: 0, size: 0, created: nil, modified: Timestamp(nanoseconds: 0),
        changed: Timestamp(nanoseconds: 0), owner: 0, group: 0, links: 0, inode: 0, device: 0)
}

extension WatchState {
    /// Whether the container will be exact once work that is under way is done.
    var isSettling: Bool {
        switch self {
        case .crawling, .verifying: true
        case .live, .degraded, .unavailable: false
        }
    }

    /// Whether answers about the container are exact.
    var isExact: Bool { self == .live }

    /// The name on the wire.
    var name: String {
        switch self {
        case .crawling: "crawling"
        case .verifying: "verifying"
        case .live: "live"
        case .degraded: "degraded"
        case .unavailable: "unavailable"
        }
    }

    /// Why, where that is not plain.
    var reason: String? {
        switch self {
        case .degraded(let reason), .unavailable(let reason): reason
        case .crawling, .verifying, .live: nil
        }
    }
}
