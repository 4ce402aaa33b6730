// A file-system entry in an answer.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// A file-system entry: its identity, and the requested attributes that have a value.
///
/// An item is a value as of the moment when the daemon sent it. Two items are equal if their identity and all values
/// are. An item holds the bytes in which it arrived, one or two hundred. It decodes an attribute at each access, so
/// keep values that you use often.
public struct MetadataItem: Sendable, Hashable, Identifiable {
    private let item: Item

    /// The item's identity, opaque and never reused. The entry keeps it when it is renamed or moved inside its
    /// container. A document keeps it when it is saved by renaming a new version over it.
    public internal(set) var id: ID

    /// The bytes of the former path.
    package internal(set) var previousPathBytes: [UInt8]?

    /// The former path of a changed item as a text, with U+FFFD for invalid UTF-8, in the notification of its move; nil otherwise.
    public var previousPath: String? { previousPathBytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The former path as system calls take it.
    public var previousFilePath: FilePath? { previousPathBytes.map { FilePath(bytes: $0) } }

    /// The id of its directory, if a live query knows the directory by another id than the daemon.
    var translatedParent: ID?

    init(_ item: Item, previousPathBytes: [UInt8]? = nil) {
        self.item = item
        id = ID(rawValue: item.id)
        self.previousPathBytes = previousPathBytes
    }

    /// Returns the value of an attribute; `MetadataValue.none` if the item has none, or if it was not requested.
    public func value(forAttribute attribute: Attribute) -> MetadataValue {
        switch attribute {
        case .id: .string(id.rawValue)
        case .parent: parent.map { .string($0.rawValue) } ?? .none
        default: item.value(of: attribute)
        }
    }

    /// Returns the value of the attribute with this name or alias (`size`, `kMDItemFSSize`). It is `MetadataValue.none`
    /// also for an unknown name.
    public func value(forAttribute name: some StringProtocol) -> MetadataValue {
        Attribute(name: name).map { value(forAttribute: $0) } ?? .none
    }

    /// Returns the values of several attributes, without missing ones, in one pass over the item's bytes.
    public func values(forAttributes attributes: [Attribute]) -> [Attribute: MetadataValue] {
        var values: [Attribute: MetadataValue] = [:]
        for (attribute, value) in zip(attributes, orderedValues(forAttributes: attributes)) where value != .none {
            values[attribute] = value
        }
        return values
    }

    /// Returns the values of several attributes in their order, in one pass over the item's bytes. A missing one is
    /// `MetadataValue.none`. No attribute may be there twice.
    package func orderedValues(forAttributes attributes: [Attribute]) -> [MetadataValue] {
        var values = item.values(of: attributes)
        for (index, attribute) in attributes.enumerated() where attribute == .id || attribute == .parent {
            values[index] = value(forAttribute: attribute)
        }
        return values
    }

    /// The attributes with a value here. Items of a live query also have attributes by which it recognises files.
    public var attributes: [Attribute] {
        Attribute.fixed.filter { value(forAttribute: $0) != .none }
            + (item.extended ?? [:]).keys.compactMap { ExtendedAttributeName($0) }.sorted().map { .extended($0) }
    }

    /// The JSON object in which the item arrived.
    var wireBytes: [UInt8] { item.json }

    // MARK: Attributes by their Swift types; each nil where it was not asked for or has no value

    /// The id of its directory; nil at the top of a container.
    public var parent: ID? { translatedParent ?? item.parent.map { ID(rawValue: $0) } }
    /// The file name as predicates and people have it: a text, with U+FFFD for invalid UTF-8.
    public var name: String? { item.name }
    /// The file name as system calls take it.
    public var fileName: FilePath.Component? { nameBytes.flatMap { FilePath.Component(bytes: $0) } }
    /// The bytes of the file name.
    package var nameBytes: [UInt8]? { item.nameBytes }
    /// The absolute path as predicates and people have it: a text, with U+FFFD for invalid UTF-8.
    public var path: String? { item.path }
    /// The absolute path as system calls take it.
    public var filePath: FilePath? { pathBytes.map { FilePath(bytes: $0) } }
    /// The bytes of the path.
    package var pathBytes: [UInt8]? { item.pathBytes }
    /// The name for display.
    public var displayName: String? { item.displayName }
    /// The part of the name after its last dot, if there is one.
    public var fileExtension: String? { item.fileExtension }
    /// The identifier of its container.
    public var container: ContainerIdentifier? { item.container.map { ContainerIdentifier($0) } }
    /// Whether the item is in its container's Documents directory, or elsewhere.
    public var isDocument: Bool? { item.scope.map { $0 == .documents } }
    /// The kind of the entry; nil for a kind that this version does not know.
    public var kind: FileKind? { item.kind.flatMap { FileKind(name: $0.rawValue) } }
    /// The media type by the file's name, such as `image/png`.
    public var contentType: String? { item.contentType }
    /// The media type and all types that it is a kind of, nearest first.
    public var contentTypeTree: [String]? { item.contentTypeTree }
    /// The size in bytes.
    public var size: Int64? { item.size }
    /// The birth time, if the file system stores it.
    public var created: Timestamp? { item.created }
    /// The time of the last change of the content.
    public var modified: Timestamp? { item.modified }
    /// The time of the last change of the inode: content, mode, owner, links or extended attributes.
    public var changed: Timestamp? { item.changed }
    /// The owner's name, or its number if there is no name.
    public var owner: String? { item.owner }
    /// The owner's number.
    public var ownerID: Int64? { item.ownerID }
    /// The group's name, or its number if there is no name.
    public var group: String? { item.group }
    /// The group's number.
    public var groupID: Int64? { item.groupID }
    /// The permission bits.
    public var mode: Int64? { item.mode }
    /// The inode's number.
    public var inode: UInt64? { item.inode }
    /// The device of the inode.
    public var device: UInt64? { item.device }
    /// The number of names of the file.
    public var links: Int64? { item.links }
    /// The depth in the container: 1 at the top.
    public var depth: Int64? { item.depth }
    /// Whether the name begins with a dot.
    public var isHidden: Bool? { item.hidden }
    /// The tags.
    public var tags: [String]? { item.tags }
    /// The comment.
    public var comment: String? { item.comment }
    /// The rating.
    public var rating: Int64? { item.rating }
    /// The addresses that the file was downloaded from.
    public var whereFrom: String? { item.whereFrom }
    /// The text of a symbolic link.
    public var target: String? { item.target }
    /// The extended attributes that were requested by name (`Attribute.extended`) and are text, by their names without
    /// `user.`.
    public var extendedAttributes: [String: String]? { item.extended }
    /// Whether the item lies inside a package. Such items match predicates that name `inPackage`, and queries whose
    /// scope is a directory at or in the package, such a path, an id or a parent.
    public var isInPackage: Bool? { item.inPackage }
    /// Whether the name is that of a conflict version (`ConflictName`).
    public var isConflictVersion: Bool? { item.isConflictVersion }
    /// The absolute path of the file that a conflict version belongs to, whether or not that exists, with U+FFFD for
    /// invalid UTF-8.
    public var conflictOf: String? { item.conflictOf }
    /// The path of the file that a conflict version belongs to, as system calls take it.
    public var conflictOfFilePath: FilePath? { item.conflictOfBytes.map { FilePath(bytes: $0) } }
    /// The device in the name of a conflict version: the one whose version became the current one. The author of this
    /// version is in its extended attribute `xattr.gather.device`.
    public var conflictDevice: String? { item.conflictDevice }
    /// The date and time in the name of a conflict version, in the time zone of the daemon.
    public var conflictDate: Timestamp? { item.conflictDate }
    /// Whether the item has conflict versions: in its directory or, of a package, inside it.
    public var hasUnresolvedConflicts: Bool? { item.hasUnresolvedConflicts }
    /// The number of its conflict versions: in its directory and, of a package, inside it.
    public var conflictVersions: Int64? { item.conflictVersions }
    /// Whether other devices get the item; nil while that is unknown. So are all properties below in a container that is not
    /// shared, and while no helper tells them.
    public var isUbiquitous: Bool? { item.isUbiquitous }
    /// How much of the item is on this device.
    public var downloadingStatus: DownloadingStatus? {
        item.downloadingStatus.map { DownloadingStatus(rawValue: $0) }
    }
    /// Whether a newer version is being fetched from another device.
    public var isDownloading: Bool? { item.isDownloading }
    /// How much of the newest version is here, from 0 to 100.
    public var percentDownloaded: Int64? { item.percentDownloaded }
    /// The reason why the newest version could not be fetched, as the sharing program words it.
    public var downloadingError: String? { item.downloadingError }
    /// Whether at least one other device has the present content.
    public var isUploaded: Bool? { item.isUploaded }
    /// Whether another device is fetching the item.
    public var isUploading: Bool? { item.isUploading }
    /// How much of it the device has that is fetching it, from 0 to 100.
    public var percentUploaded: Int64? { item.percentUploaded }
    /// The names of the other devices that have the present content.
    public var uploadedTo: [String]? { item.uploadedTo }
    /// The reason why other devices cannot get it, as the sharing program words it.
    public var uploadingError: String? { item.uploadingError }
    /// The device that changed the item last, where that was seen.
    public var savingDevice: String? { item.savingDevice }
}
