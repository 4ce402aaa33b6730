// One run of Syncthing and its settings.
// SPDX-License-Identifier: Apache-2.0

import Syncthing

/// One run of Syncthing with the settings that it has now.
struct SyncthingRun: Sendable {
    let client: SyncthingClient
    var status: SystemStatus
    var version: SystemVersion
    /// The devices by identifier, this one too.
    var devices: [String: DeviceSettings]
    var folders: [FolderSettings]
    /// The devices that are connected.
    var connected: Set<String>

    /// Asks Syncthing for all of it.
    init(_ client: SyncthingClient) async throws(SyncthingError) {
        self.client = client
        status = try await client.systemStatus()
        version = try await client.version()
        (devices, folders, connected) = ([:], [], [])
        try await readSettings()
        connected = Set(try await client.connections().filter(\.value.isConnected).keys)
    }

    /// Reads the settings again.
    mutating func readSettings() async throws(SyncthingError) {
        devices = Dictionary(try await client.devices().map { ($0.device, $0) }) { first, _ in first }
        folders = try await client.folders()
    }

    /// The short identifier of this device.
    var shortID: String { String(status.device.prefix(7)) }

    /// Returns the name of a device, or its short identifier.
    func name(of device: String) -> String { devices[device]?.displayName ?? String(device.prefix(7)) }

    /// Returns the absolute path of a folder, without symbolic links if it exists.
    func directory(of folder: FolderSettings) -> String {
        var path = folder.path
        if path == "~" || path.hasPrefix("~/") { path = status.home + path.dropFirst(1) }
        return ResolvedPath.of(path)
    }
}
