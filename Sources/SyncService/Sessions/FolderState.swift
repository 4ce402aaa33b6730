// The knowledge of a session about a folder.
// SPDX-License-Identifier: Apache-2.0

/// The knowledge of a session about a folder, in parts. All paths are below the folder.
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
    var copies = ConflictCopies()
    var unshared = UnsharedItems()
    var savers = SavingDevices()

    init(_ place: FolderPlace) {
        self.place = place
        devices = DeviceNeeds(place.devices.keys)
    }

    /// Returns the newest version of a file that is not here; nil if it is not known.
    func newestVersion(_ part: String) -> AbsentItem? { evictions.version(part) ?? downloads.version(part) }

    /// Whether Syncthing has to be asked.
    var hasDoubts: Bool {
        devices.hasDoubts || downloads.hasDoubts || evictions.hasDoubts || unshared.hasDoubts
    }

    /// Notes that any device may lack other items than before.
    mutating func doubtAll() {
        devices.doubtAll()
        downloads.doubt()
        evictions.doubtVersions()
    }
}
