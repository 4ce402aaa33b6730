// An event of Syncthing.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An event of `/rest/events`. Its number belongs to the list of types that was asked for.
package struct SyncthingEvent: Sendable, Hashable {
    package var number: Int64
    package var content: Content

    /// The content of an event.
    package enum Content: Sendable, Hashable {
        /// The database of this device changed for these paths.
        case localIndexUpdated(folder: String, paths: [String])
        /// A device told that its copy changed.
        case remoteIndexUpdated(folder: String, device: String)
        /// How many items a device lacks, with deletions.
        case folderCompletion(folder: String, device: String, missing: Int64)
        case itemStarted(folder: String, path: String)
        case itemFinished(folder: String, path: String, error: String?)
        /// Bytes done and bytes in all of each path that is fetched, by folder.
        case downloadProgress([String: [String: TransferProgress]])
        /// The number of blocks that a device has, by path.
        case remoteDownloadProgress(folder: String, device: String, blocks: [String: Int64])
        case deviceConnected(device: String)
        case deviceDisconnected(device: String)
        case folderErrors(folder: String, [FolderError])
        case folderSummary(folder: String)
        case stateChanged(folder: String, state: String)
        /// A device changed an item. `modifiedBy` is its short identifier.
        case changeDetected(folder: String, path: String, modifiedBy: String)
        case configurationSaved
        /// A device or a folder waits to be accepted.
        case pendingChanged
        /// An event that is of no interest.
        case other
    }

    /// The types to ask for.
    package static let types = [
        "LocalIndexUpdated", "RemoteIndexUpdated", "FolderCompletion", "ItemStarted", "ItemFinished",
        "DownloadProgress", "RemoteDownloadProgress", "DeviceConnected", "DeviceDisconnected", "FolderErrors",
        "FolderSummary", "StateChanged", "RemoteChangeDetected", "LocalChangeDetected", "ConfigSaved",
        "PendingDevicesChanged", "PendingFoldersChanged",
    ]

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var number: Int64?
        var type: String?
        var data = JSONBytes.emptyObject
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("id") {
                number = try reader.readInteger()
            } else if reader.keyIs("type") {
                type = try reader.readString()
            } else if reader.keyIs("data") {
                data = JSONBytes(try reader.copyValue())
            } else {
                try reader.skipValue()
            }
        }
        guard let number else { throw JSONError(.missingField("id"), at: start) }
        guard let type else { throw JSONError(.missingField("type"), at: start) }
        self.number = number
        do throws(JSONError) { content = try Content(type: type, data: data) } catch {
            throw JSONError(error.reason, at: start + error.position)
        }
    }
}
