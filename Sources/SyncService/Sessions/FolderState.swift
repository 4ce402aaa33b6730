// The knowledge of a session about a folder.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Syncthing

/// The knowledge of a session about a folder. All paths are below the folder.
struct FolderState {
    let place: FolderPlace

    var scans = ScanQueue()

    // MARK: States

    /// The devices that may have got or lost something since they were asked about.
    var doubtful: Set<String>
    /// Whether items may have come that are not here.
    var isNeedDoubtful = true
    var areErrorsDoubtful = true
    /// The paths that each device lacks, with their sizes.
    var needs: [String: [String: Int64]] = [:]
    /// The paths whose newest version is not here.
    var missing: Set<String> = []
    /// The versions of those that are not here at all.
    var coming: [String: AbsentItem] = [:]
    /// The files that are evicted, with their newest versions.
    var evicted: [String: AbsentItem] = [:]
    /// The files whose eviction is under way and that are still here, with the number of the call that evicts them.
    var leaving: [String: Int] = [:]
    /// The number of evictions so far.
    var evictions = 0
    /// The last change of the patterns of evicted files; the next one waits for it.
    var patternTurn: Task<Void, Never>?
    var areEvictedDoubtful = false
    /// Whether ``evicted`` has the files of the patterns, and ``evictedElsewhere`` those of other devices.
    var knowsEvicted = false
    /// Files that may be fresh copies of versions in conflict, and that may have to be claimed.
    var freshCopies: Set<String> = []
    /// Copies whose author is not known. The lists of other devices may tell later.
    var unnamedCopies: Set<String> = []
    /// Files that this device may have saved, with the time of that.
    var savedFiles: [String: Int64] = [:]
    /// Those of which Syncthing told so.
    var detectedFiles: Set<String> = []
    var isReadingSaves = false
    /// Files that changed and that Syncthing may not have seen yet, and the versions that they had then.
    var changedFiles: Set<String> = []
    var isReadingChanges = false
    var changedVersions: [String: SavedVersion] = [:]
    var saves = RecentSaves()
    var isListingSaves = false
    /// The earliest time of the next version of the list.
    var nextListing = ContinuousClock.now
    /// The files that other devices evicted, by the short identifier of the device.
    var evictedElsewhere: [String: EvictedList] = [:]
    /// The reason why the list for other devices is not that of the patterns.
    var listFailure: String?
    var errors: [String: String] = [:]
    var room = RoomTry()
    /// The ignore patterns, without those that leave a part to another folder of the container.
    var patterns: [String] = []
    var arePatternsDoubtful = true
    var isIgnoring: Bool { !patterns.isEmpty }
    /// The paths that are not sent, since a pattern or their kind prevents it.
    var unshared: Set<String> = []
    /// The changed paths of which it is not known whether a pattern prevents them.
    var ignoreDoubts: Set<String> = []
    /// Whether ``members`` is kept, since the items of this folder have another state than those of the container.
    var listsMembers = false
    /// The paths of all items.
    var members: Set<String> = []
    /// The paths that Syncthing fetches.
    var started: Set<String> = []
    var progress: [String: TransferProgress] = [:]
    /// The blocks that each device has of files that it fetches.
    var remoteBlocks: [String: [String: Int64]] = [:]
    /// The blocks of such a file in all.
    var blockCounts: [String: Int64] = [:]
    /// The short identifier of the device that changed an item last.
    var savers: [String: String] = [:]

    init(_ place: FolderPlace) {
        self.place = place
        doubtful = Set(place.devices.keys)
    }

    /// Whether Syncthing fetches a file.
    func isUnderWay(_ part: String) -> Bool { started.contains(part) || progress[part] != nil }

    // MARK: Files that come

    /// Notes that Syncthing begins to fetch a file.
    mutating func begin(_ part: String) {
        started.insert(part)
        progress[part] = nil
    }

    /// Takes the progress of files. It never falls while a version comes: Syncthing does not tell that of a file whose blocks are all
    /// here, and that of another file may be older than the end of it.
    mutating func take(_ told: [String: TransferProgress]) {
        for (part, now) in told {
            if let before = progress[part], before.total == now.total, before.done > now.done { continue }
            progress[part] = now
        }
        progress = progress.filter { told[$0.key] != nil || started.contains($0.key) }
    }

    /// Notes that Syncthing fetches a file no more. A complete one is missing until Syncthing was asked.
    mutating func finish(_ part: String, isComplete: Bool) {
        if isComplete {
            if let total = progress[part]?.total { progress[part]?.done = total }
        } else {
            started.remove(part)
            progress[part] = nil
        }
    }

    /// Takes the errors that Syncthing was asked for. While it fetches, they are those of the fetching before, so none of them is
    /// that of a file whose start it has told since.
    mutating func take(_ told: [FolderError]) {
        errors = Dictionary(told.map { ($0.path, $0.message) }) { _, last in last }.filter { !started.contains($0.key) }
    }

    /// Forgets the progress of files that do not come any more, once it is known which are missing.
    mutating func forgetProgress() {
        guard !isNeedDoubtful else { return }
        progress = progress.filter { started.contains($0.key) || missing.contains($0.key) }
    }

    /// Notes that any device may lack other items than before.
    mutating func doubtAll() {
        doubtful = Set(place.devices.keys)
        isNeedDoubtful = true
        areEvictedDoubtful = !evicted.isEmpty
    }
}
