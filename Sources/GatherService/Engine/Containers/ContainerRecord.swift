// Everything the engine keeps for one container.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LiveQueries
import Metadata
import MetadataIndex

/// One container of a running daemon. Lives on the event loop; its number is never used again.
final class ContainerRecord {
    /// How far the on-demand column of extra attributes is.
    enum ExtrasState {
        case off
        case filling
        case filled
    }

    let number: UInt32
    private(set) var configuration: ContainerConfiguration
    /// The path of its directory, symlinks followed as far as it was there when the container was added.
    let resolvedPath: String
    let entry: IndexTree.Entry
    let registry = LiveQueryRegistry()
    /// Ties the daemon's clock to the index's.
    var clocks: ClockMap
    /// What those who came back last are told from, as long as somebody is.
    private weak var pastChanges: PastChanges?
    var extras = ExtrasState.off
    /// The daemon's clock from which on the index had the extended attributes of every item, once they are filled.
    var extrasSince: UInt64 = 0
    /// The state as it was told last to those who monitor.
    var toldState: ContainerState?
    /// The time since when it is unavailable.
    var awaySince: Timestamp?
    /// The daemon's clock when it changed last who may see what for another reason than a change of the index.
    var accessChanged: UInt64 = 0
    /// Whom the directories let pass when the daemon before this one ended, until it was looked at anew: then it is known
    /// whether callers who do not see everything can go on with clocks from before.
    var formerPassage: [UInt8]?
    /// Whether what is known of it was compared with the file system, or read from it, since it was found.
    var wasVerified = false
    /// What a viewer saw last, at a clock of the index.
    var lastCensus: (viewer: Viewer, clock: UInt64, census: Census)?
    /// Errands of live queries that came back while changes were held (``IndexTree/Entry/isHeld``).
    var errandsBack: [LiveErrand] = []
    /// Whether the subscriber of a suspended live query began to read while changes were held.
    var bringsBackWhenVerified = false
    /// Whether it has changed meanwhile who may see what.
    var owesLook = false
    /// Whether a comparison is under way since the index refused a change.
    var isMending = false
    /// Whether there are items whose access lists could not be read or kept, or a directory above them, as it was told last.
    var lacksAccessLists = false
    /// Whose such directories above are.
    var ownersLackingAccessListAbove: Set<UInt32> = []
    /// The round in which such items are looked at again.
    var accessListRound = AccessListRound()
    /// Directories that could not be read and were named in the log; the rest is counted only.
    var unreadableLogged = 0
    /// Whether a line of the log has told how the container began.
    var isLogged = false

    /// Entries that came, changed or went, ever.
    var changeCount: UInt64 = 0

    /// The helper that tells the states of its items, if it is shared.
    var sync: SyncSession?

    /// What of its index is saved.
    var saving = SavingMark()

    /// A container of which nothing is known; of the time before the sequence `floor` nothing will be.
    init(number: UInt32, configuration: ContainerConfiguration, floor: UInt64 = 0) {
        self.number = number
        self.configuration = configuration
        resolvedPath = configuration.resolvedPath
        entry = IndexTree.Entry(
            index: MetadataIndex(root: ContainerRecord.unknownRoot), packages: configuration.packages)
        clocks = ClockMap(indexClock: entry.index.clock, floor: floor)
        entry.index.setShared(configuration.sync != nil)
    }

    /// A container as it was saved.
    init(number: UInt32, configuration: ContainerConfiguration, saved: SavedState.Container) {
        self.number = number
        self.configuration = configuration
        resolvedPath = configuration.resolvedPath
        entry = IndexTree.Entry(index: saved.index, packages: configuration.packages)
        saved.index.setShared(configuration.sync != nil)
        // What is found from now on is news to those who hold clocks from before.
        entry.recordsCrawl = true
        clocks = saved.clocks
        accessChanged = saved.description.accessChanged
        if !saved.description.passage.isEmpty { formerPassage = saved.description.passage }
        // Those that are saved are verified with the rest, and nobody has them read once more.
        if saved.index.knowsExtras { extras = .filled }
        saving = SavingMark(saved)
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
    var extrasReason: String? {
        guard index.lacksExtras else { return nil }
        let limit = (index.extrasLimit + 0xF_FFFF) >> 20
        return "extended attributes of some items are not kept: the container has more than \(limit) MB of them"
    }

    /// Why answers to callers who do not see everything are not exact in a container that is live.
    var accessReason: String? {
        lacksAccessLists
            ? "access control lists of some items could not be read or kept; users who need them do not find these items"
            : nil
    }

    var identifier: String { configuration.identifier }
    var place: ContainerPlace { ContainerPlace(configuration, resolvedPath: resolvedPath) }
    /// The container's directory with a slash behind it, which the paths of its items begin with.
    var rootPrefix: [UInt8] { Array((configuration.path == "/" ? "/" : configuration.path + "/").utf8) }

    /// What stands for the container's directory until it was looked at.
    private static let unknownRoot = FileStatus(
        kind: .directory, mode: 0, size: 0, created: nil, modified: Timestamp(nanoseconds: 0),
        changed: Timestamp(nanoseconds: 0), owner: 0, group: 0, links: 0, inode: 0, device: 0)

    /// What changed since a clock of the index, of which all changes were taken; nil where that is not known. Those who come
    /// back with one clock share it, and what it takes to merge it.
    func changes(since clock: UInt64) -> PastChanges? {
        if let pastChanges, pastChanges.since == clock, pastChanges.current.clock == index.clock, !index.hasChanges {
            return pastChanges
        }
        let changes = index.pastChanges(since: clock)
        pastChanges = changes
        return changes
    }
}

extension ContainerState {
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
