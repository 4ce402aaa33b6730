// The attributes in predicates, sort keys and requests.
// SPDX-License-Identifier: Apache-2.0

/// An attribute of an item: one of ``fixed``, or an extended attribute of the file.
@nonexhaustive public enum Attribute: Sendable, Hashable {
    case id
    case parent
    case name
    case path
    case displayName
    case fileExtension
    case container
    case scope
    case kind
    case contentType
    case contentTypeTree
    case size
    case created
    case modified
    case changed
    case owner
    case ownerID
    case group
    case groupID
    case mode
    case inode
    case device
    case links
    case depth
    case hidden
    case tags
    case comment
    case rating
    case whereFrom
    case target
    case inPackage
    case isConflictVersion
    case conflictOf
    case conflictDevice
    case conflictDate
    case hasUnresolvedConflicts
    case conflictVersions
    case isUbiquitous
    case downloadingStatus
    case isDownloading
    case percentDownloaded
    case downloadingError
    case isUploaded
    case isUploading
    case percentUploaded
    case uploadedTo
    case uploadingError
    case savingDevice
    /// An extended attribute, by its name without `user.`: `xattr.NAME`.
    case extended(ExtendedAttributeName)

    /// The attributes that every item may have, in the order of their declaration: all except ``extended(_:)``.
    public static let fixed: [Attribute] = [
        .id, .parent, .name, .path, .displayName, .fileExtension, .container, .scope, .kind, .contentType,
        .contentTypeTree, .size, .created, .modified, .changed, .owner, .ownerID, .group, .groupID, .mode, .inode,
        .device, .links, .depth, .hidden, .tags, .comment, .rating, .whereFrom, .target, .inPackage,
        .isConflictVersion, .conflictOf, .conflictDevice, .conflictDate, .hasUnresolvedConflicts, .conflictVersions,
        .isUbiquitous, .downloadingStatus, .isDownloading, .percentDownloaded, .downloadingError, .isUploaded,
        .isUploading, .percentUploaded, .uploadedTo, .uploadingError, .savingDevice,
    ]

    /// The index in ``fixed``; nil for an extended attribute.
    package var ordinal: Int? {
        switch self {
        case .id: 0
        case .parent: 1
        case .name: 2
        case .path: 3
        case .displayName: 4
        case .fileExtension: 5
        case .container: 6
        case .scope: 7
        case .kind: 8
        case .contentType: 9
        case .contentTypeTree: 10
        case .size: 11
        case .created: 12
        case .modified: 13
        case .changed: 14
        case .owner: 15
        case .ownerID: 16
        case .group: 17
        case .groupID: 18
        case .mode: 19
        case .inode: 20
        case .device: 21
        case .links: 22
        case .depth: 23
        case .hidden: 24
        case .tags: 25
        case .comment: 26
        case .rating: 27
        case .whereFrom: 28
        case .target: 29
        case .inPackage: 30
        case .isConflictVersion: 31
        case .conflictOf: 32
        case .conflictDevice: 33
        case .conflictDate: 34
        case .hasUnresolvedConflicts: 35
        case .conflictVersions: 36
        case .isUbiquitous: 37
        case .downloadingStatus: 38
        case .isDownloading: 39
        case .percentDownloaded: 40
        case .downloadingError: 41
        case .isUploaded: 42
        case .isUploading: 43
        case .percentUploaded: 44
        case .uploadedTo: 45
        case .uploadingError: 46
        case .savingDevice: 47
        case .extended: nil
        }
    }

    /// The attribute's name in predicates and on the wire.
    public var name: String {
        if case .extended(let name) = self { return Attribute.extendedPrefix + name.text }
        return fieldName.description
    }

    /// The prefix of extended attributes' names.
    package static let extendedPrefix = "xattr."

    /// The name of the field in `io.gatherd.Query`'s `Item`, as a constant, so that no string is made. All extended
    /// attributes have the same field.
    package var fieldName: StaticString {
        // Reflection would cost a short-lived process half a millisecond.
        switch self {
        case .id: "id"
        case .parent: "parent"
        case .name: "name"
        case .path: "path"
        case .displayName: "displayName"
        case .fileExtension: "fileExtension"
        case .container: "container"
        case .scope: "scope"
        case .kind: "kind"
        case .contentType: "contentType"
        case .contentTypeTree: "contentTypeTree"
        case .size: "size"
        case .created: "created"
        case .modified: "modified"
        case .changed: "changed"
        case .owner: "owner"
        case .ownerID: "ownerID"
        case .group: "group"
        case .groupID: "groupID"
        case .mode: "mode"
        case .inode: "inode"
        case .device: "device"
        case .links: "links"
        case .depth: "depth"
        case .hidden: "hidden"
        case .tags: "tags"
        case .comment: "comment"
        case .rating: "rating"
        case .whereFrom: "whereFrom"
        case .target: "target"
        case .inPackage: "inPackage"
        case .isConflictVersion: "isConflictVersion"
        case .conflictOf: "conflictOf"
        case .conflictDevice: "conflictDevice"
        case .conflictDate: "conflictDate"
        case .hasUnresolvedConflicts: "hasUnresolvedConflicts"
        case .conflictVersions: "conflictVersions"
        case .isUbiquitous: "isUbiquitous"
        case .downloadingStatus: "downloadingStatus"
        case .isDownloading: "isDownloading"
        case .percentDownloaded: "percentDownloaded"
        case .downloadingError: "downloadingError"
        case .isUploaded: "isUploaded"
        case .isUploading: "isUploading"
        case .percentUploaded: "percentUploaded"
        case .uploadedTo: "uploadedTo"
        case .uploadingError: "uploadingError"
        case .savingDevice: "savingDevice"
        case .extended: "extended"
        }
    }

    /// Returns the attribute with this name or alias; nil if there is none. `xattr.NAME` is an extended attribute. Case
    /// counts.
    public init?(name: some StringProtocol) {
        if let attribute = Attribute.byName[String(name)] {
            self = attribute
        } else if name.utf8.starts(with: Attribute.extendedPrefix.utf8),
            let name = ExtendedAttributeName(name.dropFirst(Attribute.extendedPrefix.count))
        {
            self = .extended(name)
        } else {
            return nil
        }
    }

    private static let byName: [String: Attribute] = {
        var names: [String: Attribute] = [:]
        for attribute in fixed {
            names[attribute.name] = attribute
            for alias in attribute.aliases { names[alias] = attribute }
        }
        return names
    }()

    /// The type of its values.
    public var type: AttributeType {
        switch self {
        case .id, .parent, .name, .path, .displayName, .fileExtension, .container, .scope, .kind, .contentType, .owner,
            .group, .comment, .whereFrom, .target, .conflictOf, .conflictDevice, .downloadingStatus, .downloadingError,
            .uploadingError,
            .savingDevice, .extended:
            .string
        case .size, .ownerID, .groupID, .mode, .inode, .device, .links, .depth, .rating,
            .conflictVersions, .percentDownloaded, .percentUploaded:
            .integer
        case .created, .modified, .changed, .conflictDate: .date
        case .hidden, .inPackage, .isConflictVersion, .hasUnresolvedConflicts, .isUbiquitous, .isDownloading,
            .isUploaded, .isUploading:
            .boolean
        case .tags, .contentTypeTree, .uploadedTo: .strings
        }
    }

    /// Whether its values are whole numbers of 64 bits without sign. Varlink's integers have a sign, so they travel as the number
    /// with the same bits. Columns of integers keep them in that form, too.
    package var isUnsigned: Bool { self == .inode || self == .device }

    /// Returns the value of this attribute that an integer with the same bits stands for.
    package func value(ofBits number: Int64) -> MetadataValue {
        isUnsigned ? MetadataValue(whole: UInt64(bitPattern: number)) : .integer(number)
    }

    /// Whether the value depends on the place of the item, so that it changes when a directory above moves.
    public var followsFromPlace: Bool {
        switch self {
        case .path, .depth, .scope, .inPackage, .conflictOf: true
        default: false
        }
    }

    /// The other names: those of Spotlight (`kMDItem…`) and of `NSMetadataItem`.
    public var aliases: [String] {
        switch self {
        case .name: ["kMDItemFSName", "NSMetadataItemFSNameKey"]
        case .path: ["kMDItemPath", "NSMetadataItemPathKey"]
        case .displayName: ["kMDItemDisplayName", "NSMetadataItemDisplayNameKey"]
        case .contentType: ["kMDItemContentType", "NSMetadataItemContentTypeKey"]
        case .contentTypeTree: ["kMDItemContentTypeTree", "NSMetadataItemContentTypeTreeKey"]
        case .size: ["kMDItemFSSize", "NSMetadataItemFSSizeKey"]
        case .created: ["kMDItemFSCreationDate", "NSMetadataItemFSCreationDateKey"]
        case .modified: ["kMDItemFSContentChangeDate", "NSMetadataItemFSContentChangeDateKey"]
        case .changed: ["kMDItemAttributeChangeDate", "NSMetadataItemAttributeChangeDateKey"]
        case .ownerID: ["kMDItemFSOwnerUserID", "NSMetadataItemFSOwnerUserIDKey"]
        case .groupID: ["kMDItemFSOwnerGroupID", "NSMetadataItemFSOwnerGroupIDKey"]
        case .hidden: ["kMDItemFSInvisible", "NSMetadataItemFSInvisibleKey"]
        case .tags: ["kMDItemUserTags", "NSMetadataItemUserTagsKey"]
        case .comment:
            [
                "kMDItemComment", "NSMetadataItemCommentKey", "kMDItemFinderComment", "NSMetadataItemFinderCommentKey",
            ]
        case .rating: ["kMDItemStarRating", "NSMetadataItemStarRatingKey"]
        case .whereFrom: ["kMDItemWhereFroms", "NSMetadataItemWhereFromsKey"]
        case .hasUnresolvedConflicts: ["NSMetadataUbiquitousItemHasUnresolvedConflictsKey"]
        case .isUbiquitous: ["NSMetadataItemIsUbiquitousKey", "kMDItemIsUbiquitous"]
        case .downloadingStatus:
            ["NSMetadataUbiquitousItemDownloadingStatusKey", "kMDItemUbiquitousItemDownloadingStatus"]
        case .isDownloading: ["NSMetadataUbiquitousItemIsDownloadingKey", "kMDItemUbiquitousItemIsDownloading"]
        case .percentDownloaded:
            ["NSMetadataUbiquitousItemPercentDownloadedKey", "kMDItemUbiquitousItemPercentDownloaded"]
        case .downloadingError:
            ["NSMetadataUbiquitousItemDownloadingErrorKey", "kMDItemUbiquitousItemDownloadingError"]
        case .isUploaded: ["NSMetadataUbiquitousItemIsUploadedKey", "kMDItemUbiquitousItemIsUploaded"]
        case .isUploading: ["NSMetadataUbiquitousItemIsUploadingKey", "kMDItemUbiquitousItemIsUploading"]
        case .percentUploaded: ["NSMetadataUbiquitousItemPercentUploadedKey", "kMDItemUbiquitousItemPercentUploaded"]
        case .uploadingError: ["NSMetadataUbiquitousItemUploadingErrorKey", "kMDItemUbiquitousItemUploadingError"]
        default: []
        }
    }

    /// One sentence on the attribute's meaning.
    public var description: String {
        switch self {
        case .id: "Stays with the item when it is renamed or moved inside its container."
        case .parent: "The id of the item's directory; missing at the top of a container."
        case .name: "The file name."
        case .path: "The absolute path."
        case .displayName: "The name as it is shown to people."
        case .fileExtension: "The text after the last dot of the name, if any."
        case .container: "The identifier of the container."
        case .scope: "'documents' below the container's Documents directory, else 'data'."
        case .kind: "file, directory, package, symlink, fifo, socket, characterDevice or blockDevice."
        case .contentType: "The media type that the name says, as in 'image/png' (shared-mime-info)."
        case .contentTypeTree: "The media type and all that it is a kind of."
        case .size: "Size in bytes; of a package, of all regular files within."
        case .created: "When the file came into being, where the file system keeps that."
        case .modified: "When the content changed last; of a package, of anything within."
        case .changed: "When the inode changed last: content, mode, owner, links or extended attributes."
        case .owner: "The owner's name; its number where it has no name."
        case .ownerID: "The owner's number."
        case .group: "The group's name; its number where it has no name."
        case .groupID: "The group's number."
        case .mode: "The permission bits."
        case .inode: "The inode's number."
        case .device: "The device that holds the file."
        case .links: "How many names the file has."
        case .depth: "How many directories deep it lies: 1 at the top of a container."
        case .hidden: "Whether the name begins with a dot."
        case .tags: "The tags in the extended attribute user.xdg.tags."
        case .comment: "The comment in the extended attribute user.xdg.comment."
        case .rating: "The rating in the extended attribute user.baloo.rating, where that is a whole number."
        case .whereFrom: "Where the file was fetched from, as the extended attribute user.xdg.origin.url says."
        case .target: "Where a symbolic link leads, as it is written in the link."
        case .inPackage: "Whether it lies inside a package; what does is found by who names this, or asks there."
        case .isConflictVersion:
            "Whether the name is that of a conflict version, as Syncthing and GatherDocuments write it."
        case .conflictOf: "The path of the file that a conflict version belongs to, whether or not that exists."
        case .conflictDevice: "The device in the name of a conflict version: the one whose version won."
        case .conflictDate: "The date and time in the name of a conflict version, in the daemon's time zone."
        case .hasUnresolvedConflicts: "Whether it has conflict versions in its directory; of a package, also inside it."
        case .conflictVersions: "How many conflict versions it has in its directory; of a package, also inside it."
        case .isUbiquitous: "Whether other devices get it; unknown while no helper tells it (gather-sync(7))."
        case .downloadingStatus: "How much of it is here: notDownloaded, downloaded (an older version) or current."
        case .isDownloading: "Whether a newer version is being fetched from another device."
        case .percentDownloaded: "How much of the newest version is here, from 0 to 100."
        case .downloadingError: "The reason why the newest version could not be fetched, as Syncthing words it."
        case .isUploaded: "Whether at least one other device has the present content."
        case .isUploading: "Whether another device is fetching it."
        case .percentUploaded: "How much of it the device has that is fetching it, from 0 to 100."
        case .uploadedTo: "The names of the other devices that have the present content."
        case .uploadingError: "The reason why other devices cannot get it, as Syncthing words it."
        case .savingDevice: "The device that changed it last, where that was seen."
        case .extended(let name): "The extended attribute user.\(name.text), where it is text."
        }
    }
}
