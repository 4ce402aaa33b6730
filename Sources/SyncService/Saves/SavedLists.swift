// The lists of the saved versions of all devices.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The versions that all devices saved, as far as their lists tell.
struct SavedLists {
    private var devices: [SavedVersion: Set<String>] = [:]
    private var times: Set<Timestamp> = []

    /// Reads the lists in some folders.
    init(in folders: [String] = []) {
        for folder in folders {
            let names = DirectoryNames.of("\(folder)/\(ReplicatedFile.directory)") ?? []
            for device in names.compactMap(SavedList.device).filter({ ConflictName.isDevice($0) })
                .prefix(SyncLimits.savedLists)
            {
                add(SavedList.read(device, in: folder).versions, of: device)
            }
        }
    }

    /// Adds the saved versions of a device.
    mutating func add(_ versions: [SavedVersion], of device: String) {
        for version in versions {
            devices[version, default: []].insert(device)
            times.insert(version.modified)
        }
    }

    /// Whether any device saved a version at a time. Without one, no contents need to be read.
    func have(_ time: Timestamp) -> Bool { times.contains(time) }

    /// Whether another device has a version in its list.
    func have(_ version: SavedVersion, besides device: String) -> Bool {
        devices[version]?.contains { $0 != device } ?? false
    }

    /// Returns the short identifier of the device that saved a version; nil if no list has it, or several have.
    func author(of version: SavedVersion) -> String? {
        guard let devices = devices[version], devices.count == 1 else { return nil }
        return devices.first
    }
}
