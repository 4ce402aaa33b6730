// The status of sharing at one moment.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Syncthing

/// The status of sharing at one moment, with what the next one needs for rates.
struct SharingStatus: Sendable {
    var reply: SharingInterface.Status.Reply
    private var connections: [String: DeviceConnection] = [:]
    private var time = ContinuousClock.now

    /// The status without Syncthing.
    init(reason: String) {
        reply = SharingInterface.Status.Reply(
            running: false, reason: reason, version: nil, devices: [], folders: [], offers: [])
    }

    /// Asks Syncthing for the status. `last` is an earlier one, if any, from which rates follow.
    init(_ run: SyncthingRun, _ visible: VisibleContainers, after last: SharingStatus?)
        async throws(SyncthingError)
    {
        let client = run.client
        let connections = try await client.connections()
        let statistics = try await client.deviceStatistics()
        self.connections = connections
        reply = SharingInterface.Status.Reply(
            running: true, version: run.version.version, devices: [], folders: [], offers: [])
        let seconds = last.map { Double((time - $0.time) / .milliseconds(1)) / 1000 } ?? 0
        for device in run.devices.values.sorted(by: { ($0.displayName, $0.device) < ($1.displayName, $1.device) }) {
            let isHere = device.device == run.status.device
            let connection = connections[device.device]
            let before = last?.connections[device.device]
            func rate(_ bytes: KeyPath<DeviceConnection, Int64>) -> Int64? {
                guard let connection, connection.isConnected, let before, seconds > 0 else { return nil }
                return max(0, connection[keyPath: bytes].clampedSubtracting(before[keyPath: bytes])).perSecond(seconds)
            }
            let seen = statistics[device.device]?.lastSeen
            reply.devices.append(
                SharedDevice(
                    identifier: device.device, name: device.displayName, here: isHere,
                    connected: isHere || connection?.isConnected == true, paused: isHere ? nil : device.isPaused,
                    address: SharingStatus.nonempty(connection?.address),
                    version: isHere ? run.version.version : SharingStatus.nonempty(connection?.version),
                    lastSeen: isHere || seen?.hasPrefix("1970") == true ? nil : seen,
                    receiving: rate(\.received), sending: rate(\.sent)))
        }
        for (identifier, device) in try await client.pendingDevices().sorted(by: { $0.key < $1.key }) {
            reply.devices.append(
                SharedDevice(
                    identifier: identifier, name: device.name.isEmpty ? String(identifier.prefix(7)) : device.name,
                    here: false, connected: false, asks: true, address: SharingStatus.nonempty(device.address),
                    lastSeen: SharingStatus.nonempty(device.time)))
        }
        for container in visible.containers where container.sync == "syncthing" {
            for place in FolderPlace.all(in: run, container: container.path)
            where visible.shows(folderAt: place.directory) {
                reply.folders.append(try await SharingStatus.folder(place, container.identifier, run))
            }
        }
        for (folder, offers) in try await client.pendingFolders().sorted(by: { $0.key < $1.key }) {
            for (device, offer) in offers.sorted(by: { $0.key < $1.key }) {
                let offer = FolderOffer(
                    device: device, folder: folder,
                    container: offer.label.isEmpty ? FolderNames.container(of: folder) : offer.label)
                if visible.shows(offer) { reply.offers.append(offer) }
            }
        }
    }

    /// Asks for the state of one folder.
    static func folder(_ place: FolderPlace, _ container: String, _ run: SyncthingRun)
        async throws(SyncthingError) -> SharedFolderMessage
    {
        let status = try await run.client.status(of: place.folder)
        // The files of the helpers are no items for anybody.
        let own = place.isPaused ? 0 : try await run.client.browse(place.folder, below: ReplicatedFile.directory).count
        let items = status.items.clampedSubtracting(status.deleted).clampedSubtracting(own == 0 ? 0 : Int64(own) + 1)
        var shares: [FolderShare] = []
        for device in place.devices.keys.sorted() where !place.isPaused {
            let completion = try await run.client.completion(of: place.folder, device: device)
            let missing = completion.missing.clampedAdding(completion.missingDeletions)
            let own =
                (1...SyncLimits.countedItems).contains(missing)
                ? ownFiles(try await run.client.remoteNeed(of: place.folder, device: device)) : (count: 0, bytes: 0)
            shares.append(
                FolderShare(
                    device: device, completion: completion.completion,
                    missing: max(0, missing.clampedSubtracting(own.count)),
                    missingBytes: max(0, completion.missingBytes.clampedSubtracting(own.bytes))))
        }
        let missing =
            !place.isPaused && (1...SyncLimits.countedItems).contains(status.missing)
            ? ownFiles(try await run.client.need(of: place.folder)) : (count: 0, bytes: 0)
        return SharedFolderMessage(
            identifier: place.folder, container: container, path: place.directory,
            state: place.isPaused ? "paused" : status.state, error: nonempty(status.error) ?? nonempty(status.invalid),
            paused: place.isPaused, items: max(0, items), bytes: status.bytes,
            missing: max(0, status.missing.clampedSubtracting(missing.count)),
            missingBytes: max(0, status.missingBytes.clampedSubtracting(missing.bytes)), shares: shares)
    }

    /// Counts the helpers' own files in a list of Syncthing.
    private static func ownFiles(_ records: [FileRecord]) -> (count: Int64, bytes: Int64) {
        let own = records.filter { ReplicatedFile.isOwn($0.name) }
        return (Int64(own.count), own.reduce(0) { $0.clampedAdding($1.isDeleted ? 0 : $1.size) })
    }

    private static func nonempty(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}
