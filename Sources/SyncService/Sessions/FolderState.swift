// The knowledge of a session about a folder.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Syncthing

/// The knowledge of a session about a folder. All paths are below the folder.
struct FolderState {
    let place: FolderPlace

    var scans = ScanQueue()
    var downloads = Downloads()
    var devices: DeviceNeeds
    var evictions = Evictions()
    /// The changes of the patterns of evicted files.
    var patternTurns = SerialTurns()
    var changed = ChangedFiles()
    var saved = SavedFiles()
    var saves = RecentSaves()

    // MARK: States

    /// Files that may be fresh copies of versions in conflict, and that may have to be claimed.
    var freshCopies: Set<String> = []
    /// Copies whose author is not known. The lists of other devices may tell later.
    var unnamedCopies: Set<String> = []
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
    /// The short identifier of the device that changed an item last.
    var savers: [String: String] = [:]

    init(_ place: FolderPlace) {
        self.place = place
        devices = DeviceNeeds(place.devices.keys)
    }

    /// Returns the newest version of a file that is not here; nil if it is not known.
    func newestVersion(_ part: String) -> AbsentItem? { evictions.version(part) ?? downloads.version(part) }

    /// Notes that any device may lack other items than before.
    mutating func doubtAll() {
        devices.doubtAll()
        downloads.doubt()
        evictions.doubtVersions()
    }
}
