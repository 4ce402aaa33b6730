// The data of Syncthing's events.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

extension SyncthingEvent.Content {
    /// Reads the data of an event of a type.
    init(type: String, data: JSONBytes) throws(JSONError) {
        switch type {
        case "ConfigSaved": self = .configurationSaved
        case "PendingDevicesChanged", "PendingFoldersChanged": self = .pendingChanged
        case "DownloadProgress":
            self = .downloadProgress(
                try data.read { (reader) throws(JSONError) in
                    try reader.readMap { (reader) throws(JSONError) in
                        try reader.readMap { (reader) throws(JSONError) in try TransferProgress(from: &reader) }
                    }
                })
        default:
            let fields = try data.read { (reader) throws(JSONError) in try EventFields(from: &reader) }
            self = SyncthingEvent.Content(type: type, fields)
        }
    }

    /// An event that lacks a field that it needs is of no interest.
    private init(type: String, _ fields: EventFields) {
        self = .other
        switch type {
        case "DeviceConnected": if let device = fields.device { self = .deviceConnected(device: device) }
        case "DeviceDisconnected": if let device = fields.device { self = .deviceDisconnected(device: device) }
        default:
            if let folder = fields.folder { self = SyncthingEvent.Content(type: type, folder: folder, fields) }
        }
    }

    private init(type: String, folder: String, _ fields: EventFields) {
        self = .other
        switch type {
        case "LocalIndexUpdated": self = .localIndexUpdated(folder: folder, paths: fields.paths)
        case "RemoteIndexUpdated":
            if let device = fields.device { self = .remoteIndexUpdated(folder: folder, device: device) }
        case "FolderCompletion":
            if let device = fields.device {
                self = .folderCompletion(folder: folder, device: device, missing: fields.missing)
            }
        case "ItemStarted": if let path = fields.path { self = .itemStarted(folder: folder, path: path) }
        case "ItemFinished":
            if let path = fields.path { self = .itemFinished(folder: folder, path: path, error: fields.error) }
        case "RemoteDownloadProgress":
            if let device = fields.device {
                self = .remoteDownloadProgress(folder: folder, device: device, blocks: fields.blocks)
            }
        case "FolderErrors": self = .folderErrors(folder: folder, fields.errors)
        case "FolderSummary": self = .folderSummary(folder: folder)
        case "StateChanged": if let state = fields.state { self = .stateChanged(folder: folder, state: state) }
        case "RemoteChangeDetected", "LocalChangeDetected":
            if let path = fields.path, let device = fields.modifiedBy {
                self = .changeDetected(folder: folder, path: path, modifiedBy: device)
            }
        default: break
        }
    }
}
