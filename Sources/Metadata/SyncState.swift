// The state of an item of a container that is shared with other devices.
// SPDX-License-Identifier: Apache-2.0

/// How far an item is on this device and on others, as the program that shares its container tells it.
package struct SyncState: Sendable, Hashable {
    /// Whether other devices get the item.
    package enum Standing: UInt8, Sendable {
        /// No helper tells it.
        case unknown
        case notShared
        case shared
    }

    /// How much of an item is on this device.
    package enum Download: UInt8, Sendable {
        /// Nothing.
        case notDownloaded
        /// A version that is not the newest.
        case downloaded
        /// The newest version that is known.
        case current

        /// The value of `downloadingStatus`.
        package var name: String {
            switch self {
            case .notDownloaded: "notDownloaded"
            case .downloaded: "downloaded"
            case .current: "current"
            }
        }
    }

    package var standing: Standing
    package var download = Download.current
    package var isDownloading = false
    package var isUploading = false
    /// From 0 to 100 while it is transferred.
    package var percentDownloaded: UInt8?
    package var percentUploaded: UInt8?
    /// The names of the other devices that have the present content.
    package var uploadedTo: [String] = []
    package var downloadingError: String?
    package var uploadingError: String?
    /// The name of the device that changed the item last.
    package var savingDevice: String?

    package init(_ standing: Standing) { self.standing = standing }

    /// The state of items whose container is shared, as long as no helper tells more.
    package static let unknown = SyncState(.unknown)
    /// The state of items that no other device gets.
    package static let notShared = SyncState(.notShared)

    /// The state after a change here that no other device has yet.
    package var afterChange: SyncState {
        var state = self
        state.uploadedTo = []
        (state.isUploading, state.percentUploaded, state.uploadingError) = (false, nil, nil)
        return state
    }

    /// Whether at least one other device has the present content.
    package var isUploaded: Bool { !uploadedTo.isEmpty }

    /// Returns the value of one of the attributes with ``Attribute/isOfSync``.
    package func value(of attribute: Attribute) -> MetadataValue {
        if attribute == .isUbiquitous {
            return standing == .unknown ? .none : .boolean(standing == .shared)
        }
        guard standing == .shared else { return .none }
        switch attribute {
        case .downloadingStatus: return .string(download.name)
        case .isDownloading: return .boolean(isDownloading)
        case .percentDownloaded:
            // Nothing is here of a version that has not begun to come.
            return .integer(Int64(percentDownloaded ?? (download == .current && !isDownloading ? 100 : 0)))
        case .downloadingError: return downloadingError.map { .string($0) } ?? .none
        case .isUploaded: return .boolean(isUploaded)
        case .isUploading: return .boolean(isUploading)
        case .percentUploaded: return .integer(Int64(percentUploaded ?? (isUploaded && !isUploading ? 100 : 0)))
        case .uploadedTo: return uploadedTo.isEmpty ? .none : .array(uploadedTo.map { .string($0) })
        case .uploadingError: return uploadingError.map { .string($0) } ?? .none
        case .savingDevice: return savingDevice.map { .string($0) } ?? .none
        default: return .none
        }
    }
}

extension Attribute {
    /// The attributes with ``isOfSync``.
    package static let ofSync = fixed.filter(\.isOfSync)

    /// Whether the attribute is about a container that is shared with other devices.
    package var isOfSync: Bool {
        switch self {
        case .isUbiquitous, .downloadingStatus, .isDownloading, .percentDownloaded, .downloadingError, .isUploaded,
            .isUploading, .percentUploaded, .uploadedTo, .uploadingError, .savingDevice:
            true
        default: false
        }
    }
}
