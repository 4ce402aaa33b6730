// The properties of an item that are attributes.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// Which attribute a key path of ``MetadataItem`` is.
enum AttributeKeyPaths {
    // Key paths without captured subscripts, never changed after: each may be used from any thread.
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
        \MetadataItem.target: .target,
    ]

    /// Those that are true or false.
    nonisolated(unsafe) static let conditions: [AnyKeyPath: (String, Attribute)] = [
        \MetadataItem.isHidden: ("hidden == TRUE", .hidden),
        \MetadataItem.isInPackage: ("inPackage == TRUE", .inPackage),
        \MetadataItem.isDocument: ("scope == 'documents'", .scope),
    ]
}
