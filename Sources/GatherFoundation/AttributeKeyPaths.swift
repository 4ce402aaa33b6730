// The attributes of an item by key path.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// Finds the attribute of a key path of ``MetadataItem``.
enum AttributeKeyPaths {
    // Key paths without captured subscripts, which never change. Any thread may use them.
    nonisolated(unsafe) static let attributes: [AnyKeyPath: Attribute] = [
        \MetadataItem.id: .id, \MetadataItem.parent: .parent, \MetadataItem.name: .name, \MetadataItem.path: .path,
        \MetadataItem.displayName: .displayName, \MetadataItem.fileExtension: .fileExtension,
        \MetadataItem.container: .container, \MetadataItem.kind: .kind, \MetadataItem.contentType: .contentType,
        \MetadataItem.contentTypeTree: .contentTypeTree, \MetadataItem.size: .size, \MetadataItem.created: .created,
        \MetadataItem.modified: .modified, \MetadataItem.changed: .changed, \MetadataItem.owner: .owner,
        \MetadataItem.ownerID: .ownerID, \MetadataItem.group: .group, \MetadataItem.groupID: .groupID,
        \MetadataItem.mode: .mode, \MetadataItem.inode: .inode, \MetadataItem.device: .device,
        \MetadataItem.links: .links, \MetadataItem.depth: .depth, \MetadataItem.tags: .tags,
        \MetadataItem.comment: .comment, \MetadataItem.rating: .rating, \MetadataItem.whereFrom: .whereFrom,
        \MetadataItem.target: .target, \MetadataItem.conflictOf: .conflictOf,
        \MetadataItem.conflictDevice: .conflictDevice, \MetadataItem.conflictDate: .conflictDate,
        \MetadataItem.conflictVersions: .conflictVersions, \MetadataItem.percentDownloaded: .percentDownloaded,
        \MetadataItem.downloadingError: .downloadingError, \MetadataItem.percentUploaded: .percentUploaded,
        \MetadataItem.uploadedTo: .uploadedTo, \MetadataItem.uploadingError: .uploadingError,
        \MetadataItem.savingDevice: .savingDevice,
    ]

    /// The Boolean properties.
    nonisolated(unsafe) static let conditions: [AnyKeyPath: (String, Attribute)] = [
        \MetadataItem.isHidden: ("hidden == TRUE", .hidden),
        \MetadataItem.isInPackage: ("inPackage == TRUE", .inPackage),
        \MetadataItem.isConflictVersion: ("isConflictVersion == TRUE", .isConflictVersion),
        \MetadataItem.hasUnresolvedConflicts: ("hasUnresolvedConflicts == TRUE", .hasUnresolvedConflicts),
        \MetadataItem.isUbiquitous: ("isUbiquitous == TRUE", .isUbiquitous),
        \MetadataItem.isDownloading: ("isDownloading == TRUE", .isDownloading),
        \MetadataItem.isUploaded: ("isUploaded == TRUE", .isUploaded),
        \MetadataItem.isUploading: ("isUploading == TRUE", .isUploading),
        \MetadataItem.isDocument: ("scope == 'documents'", .scope),
    ]
}
