// The requests of Syncthing's REST interface that read.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Varlink

extension SyncthingClient {
    /// Returns the device and the start of this Syncthing.
    package func systemStatus() async throws(SyncthingError) -> SystemStatus {
        try await get("/rest/system/status") { (reader) throws(JSONError) in try SystemStatus(from: &reader) }
    }

    /// Returns the version.
    package func version() async throws(SyncthingError) -> SystemVersion {
        try await get("/rest/system/version") { (reader) throws(JSONError) in try SystemVersion(from: &reader) }
    }

    /// Returns the devices that Syncthing is set up for, this one too.
    package func devices() async throws(SyncthingError) -> [DeviceSettings] {
        try await get("/rest/config/devices") { (reader) throws(JSONError) in
            try reader.readList { (reader) throws(JSONError) in try DeviceSettings(from: &reader) }
        }
    }

    /// Returns the folders.
    package func folders() async throws(SyncthingError) -> [FolderSettings] {
        try await get("/rest/config/folders") { (reader) throws(JSONError) in
            try reader.readList { (reader) throws(JSONError) in try FolderSettings(from: &reader) }
        }
    }

    /// Returns the connections by device.
    package func connections() async throws(SyncthingError) -> [String: DeviceConnection] {
        try await get("/rest/system/connections") { (reader) throws(JSONError) in
            var connections: [String: DeviceConnection] = [:]
            try reader.readFields { (reader) throws(JSONError) in
                if reader.keyIs("connections") {
                    connections = try reader.readMap { (reader) throws(JSONError) in try DeviceConnection(from: &reader)
                    }
                } else {
                    try reader.skipValue()
                }
            }
            return connections
        }
    }

    /// Returns when each device was connected last.
    package func deviceStatistics() async throws(SyncthingError) -> [String: DeviceStatistics] {
        try await get("/rest/stats/device") { (reader) throws(JSONError) in
            try reader.readMap { (reader) throws(JSONError) in try DeviceStatistics(from: &reader) }
        }
    }

    /// Returns the devices that want to connect and are not known.
    package func pendingDevices() async throws(SyncthingError) -> [String: PendingDevice] {
        try await get("/rest/cluster/pending/devices") { (reader) throws(JSONError) in
            try reader.readMap { (reader) throws(JSONError) in try PendingDevice(from: &reader) }
        }
    }

    /// Returns the offers that are not accepted, by folder and device.
    package func pendingFolders() async throws(SyncthingError) -> [String: [String: FolderOfferDetails]] {
        try await get("/rest/cluster/pending/folders") { (reader) throws(JSONError) in
            try reader.readMap { (reader) throws(JSONError) in
                var offers: [String: FolderOfferDetails] = [:]
                try reader.readFields { (reader) throws(JSONError) in
                    if reader.keyIs("offeredBy") {
                        offers = try reader.readMap { (reader) throws(JSONError) in
                            try FolderOfferDetails(from: &reader)
                        }
                    } else {
                        try reader.skipValue()
                    }
                }
                return offers
            }
        }
    }

    // MARK: Folders

    /// Returns the state of a folder.
    package func status(of folder: String) async throws(SyncthingError) -> FolderStatus {
        try await get("/rest/db/status", [("folder", folder)]) { (reader) throws(JSONError) in
            try FolderStatus(from: &reader)
        }
    }

    /// Returns how much of a folder a device has. It can say 100 % while the first file is under way (1.19.2).
    package func completion(of folder: String, device: String) async throws(SyncthingError) -> FolderCompletion {
        try await get("/rest/db/completion", [("folder", folder), ("device", device)]) { (reader) throws(JSONError) in
            try FolderCompletion(from: &reader)
        }
    }

    /// Returns the items that a device lacks, also of one that is away. Costs 36-70 ms at 20,000 files.
    package func remoteNeed(of folder: String, device: String) async throws(SyncthingError) -> [FileRecord] {
        try await pages("/rest/db/remoteneed", [("folder", folder), ("device", device)])
    }

    /// Returns the items of others that this device lacks.
    package func need(of folder: String) async throws(SyncthingError) -> [FileRecord] {
        try await pages("/rest/db/need", [("folder", folder)])
    }

    /// Reads all pages of a list of items. Items that change meanwhile can occur twice, or not at all; an event follows.
    private func pages(_ path: String, _ query: [(String, String)]) async throws(SyncthingError) -> [FileRecord] {
        var records: [FileRecord] = []
        for page in 1...SyncthingLimits.pages {
            let paging = [("page", String(page)), ("perpage", String(SyncthingLimits.itemsPerPage))]
            let next = try await get(path, query + paging) { (reader) throws(JSONError) in
                var next: [FileRecord] = []
                try reader.readFields { (reader) throws(JSONError) in
                    if reader.keyIs("files") || reader.keyIs("progress") || reader.keyIs("queued")
                        || reader.keyIs("rest")
                    {
                        next += try reader.readList { (reader) throws(JSONError) in try FileRecord(from: &reader) }
                    } else {
                        try reader.skipValue()
                    }
                }
                return next
            }
            records += next
            if next.count < SyncthingLimits.itemsPerPage { break }
        }
        return records
    }

    /// Returns what Syncthing knows of a file; nil if it is not in the database.
    package func file(_ path: String, of folder: String) async throws(SyncthingError) -> FileEntry? {
        do throws(SyncthingError) {
            return try await get("/rest/db/file", [("folder", folder), ("file", path)]) { (reader) throws(JSONError) in
                try FileEntry(from: &reader)
            }
        } catch {
            if case .notFound = error { return nil }
            throw error
        }
    }

    /// Returns the items that could not be scanned or downloaded.
    package func errors(of folder: String) async throws(SyncthingError) -> [FolderError] {
        try await get("/rest/folder/errors", [("folder", folder)]) { (reader) throws(JSONError) in
            var errors: [FolderError] = []
            try reader.readFields { (reader) throws(JSONError) in
                if reader.keyIs("errors") {
                    errors = try reader.readList { (reader) throws(JSONError) in try FolderError(from: &reader) }
                } else {
                    try reader.skipValue()
                }
            }
            return errors
        }
    }

    /// Returns the ignore patterns.
    package func ignorePatterns(of folder: String) async throws(SyncthingError) -> IgnorePatterns {
        try await get("/rest/db/ignores", [("folder", folder)]) { (reader) throws(JSONError) in
            try IgnorePatterns(from: &reader)
        }
    }

    /// Returns the paths of all items of a folder as all devices together have it, or the paths below a directory of it. Costs
    /// 120-220 ms at 20,000 files.
    package func browse(_ folder: String, below directory: String? = nil) async throws(SyncthingError) -> Set<String> {
        let query = [("folder", folder)] + (directory.map { [("prefix", $0)] } ?? [])
        return try await get("/rest/db/browse", query) { (reader) throws(JSONError) in
            var paths: Set<String> = []
            try BrowsedEntry.read(&reader, below: "", into: &paths)
            return paths
        }
    }

    /// Returns the next events of the types in ``SyncthingEvent/types`` after the one with the number `since`. Waits
    /// for one until ``SyncthingLimits/eventWait``, and then returns none.
    package func events(since: Int64, wait: Bool = true) async throws(SyncthingError) -> [SyncthingEvent] {
        let seconds = wait ? SyncthingLimits.eventWait.nanoseconds / 1_000_000_000 : 0
        let query = [
            ("since", String(since)), ("timeout", String(seconds)), ("limit", String(SyncthingLimits.eventsPerAnswer)),
            ("events", SyncthingEvent.types.joined(separator: ",")),
        ]
        return try await get("/rest/events", query, time: SyncthingLimits.eventTime) { (reader) throws(JSONError) in
            try reader.readList { (reader) throws(JSONError) in try SyncthingEvent(from: &reader) }
        }
    }
}
