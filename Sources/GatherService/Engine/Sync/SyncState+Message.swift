// States of shared items as they travel.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import MetadataIndex

extension MetadataIndex {
    /// Returns the item at a path below the container's directory. Complexity: O(depth).
    func row(at path: [UInt8]) -> Row? {
        var row = Row.root
        for name in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let child = name.withUnsafeBytes { self.child(of: row, named: $0) }
            guard let child else { return nil }
            row = child
        }
        return row == .root ? nil : row
    }
}

extension SyncState {
    /// Reads a state as it travelled. Percentages out of their range are brought into it.
    init(_ message: SyncStateMessage) {
        self.init(message.shared == false ? .notShared : .shared)
        guard standing == .shared else { return }
        switch message.download {
        case .notDownloaded: download = .notDownloaded
        case .downloaded: download = .downloaded
        case .current, .other, nil: download = .current
        }
        isDownloading = message.downloading ?? false
        isUploading = message.uploading ?? false
        percentDownloaded = message.percentDownloaded.map { UInt8(min(max($0, 0), 100)) }
        percentUploaded = message.percentUploaded.map { UInt8(min(max($0, 0), 100)) }
        uploadedTo = message.uploadedTo ?? []
        downloadingError = message.downloadingError
        uploadingError = message.uploadingError
        savingDevice = message.savingDevice
    }
}

extension SyncStateMessage {
    /// A state as it travels. Reading it with ``SyncState/init(_:)`` gives the same state.
    init(_ state: SyncState) {
        self.init(shared: state.standing == .shared)
        guard state.standing == .shared else { return }
        switch state.download {
        case .notDownloaded: download = .notDownloaded
        case .downloaded: download = .downloaded
        case .current: download = .current
        }
        downloading = state.isDownloading
        uploading = state.isUploading
        percentDownloaded = state.percentDownloaded.map { Int64($0) }
        percentUploaded = state.percentUploaded.map { Int64($0) }
        uploadedTo = state.uploadedTo
        downloadingError = state.downloadingError
        uploadingError = state.uploadingError
        savingDevice = state.savingDevice
    }
}
