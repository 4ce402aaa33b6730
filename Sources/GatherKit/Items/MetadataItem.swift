// One file-system entry as a query reports it: its identity and the attributes that were asked for.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// One file-system entry: its identity, and a value for each attribute that was asked for and that it has.
///
/// An item is a value: it tells how things were when the daemon sent it, and never changes. Two items are equal where
/// identity and all values are. It keeps the bytes in which it came, a hundred or two, and reads an attribute each time
/// that is asked for; keep what you use often.
public struct MetadataItem: Sendable, Hashable, Identifiable {
    private let item: Item

    /// Stays with the entry when that is renamed or moved inside its container, and with a document that is saved by
    /// renaming a new version over it. Opaque; never given twice.
    public internal(set) var id: String

    /// The path that a changed item had before, in the notification that reports its move; nil everywhere else.
    public internal(set) var previousPath: String?

    /// The id of its directory in the words of a live query that knows it by another id than the daemon.
    var translatedParent: String?

    init(_ item: Item, previousPath: String? = nil) {
        self.item = item
        id = item.id
        self.previousPath = previousPath
    }

    /// The value of an attribute; `MetadataValue.none` where the item has none or it was not asked for.
    public func value(forAttribute attribute: Attribute) -> MetadataValue {
        switch attribute {
        case .id: .string(id)
        case .parent: parent.map { .string($0) } ?? .none
        default: item.value(of: attribute)
        }
    }

    /// The value of the attribute with this name or alias (`size`, `kMDItemFSSize`); `MetadataValue.none` also where
    /// there is no such attribute.
    public func value(forAttribute name: some StringProtocol) -> MetadataValue {
        Attribute(name: name).map { value(forAttribute: $0) } ?? .none
    }

    /// The values of several attributes, without those that are missing.
    public func values(forAttributes attributes: [Attribute]) -> [Attribute: MetadataValue] {
        var values: [Attribute: MetadataValue] = [:]
        for attribute in attributes {
            let value = value(forAttribute: attribute)
            if value != .none { values[attribute] = value }
        }
        return values
    }

    /// The attributes that have a value here. Items of a live query also have those by which it follows files.
    public var attributes: [Attribute] {
        Attribute.fixed.filter { value(forAttribute: $0) != .none }
            + (item.extended ?? [:]).keys.compactMap { ExtendedAttributeName($0) }.sorted().map { .extended($0) }
    }

    /// The JSON object in which the item came.
    package var json: [UInt8] { item.json }

    // MARK: Attributes by their Swift types; each nil where it was not asked for or has no value

    /// The id of its directory; nil also at the top of a container.
    public var parent: String? { translatedParent ?? item.parent }
    /// The file name; what is not UTF-8 in it is replaced by U+FFFD.
    public var name: String? { item.name }
    /// The file name as the system calls take it, whether or not it is UTF-8.
    public var nameBytes: [UInt8]? { item.nameBytes }
    /// The absolute path; what is not UTF-8 in it is replaced by U+FFFD.
    public var path: String? { item.path }
    /// The absolute path as the system calls take it, whether or not it is UTF-8; without a NUL at the end.
    public var pathBytes: [UInt8]? { item.pathBytes }
    /// The name as it is shown to people.
    public var displayName: String? { item.displayName }
    /// What follows the last dot of the name, if anything does.
    public var fileExtension: String? { item.fileExtension }
    /// The identifier of its container.
    public var container: String? { item.container }
    /// Whether it lies below its container's Documents directory.
    public var isDocument: Bool? { item.scope.map { $0 == .documents } }
    /// What sort of entry it is; nil also for a kind that this version does not know.
    public var kind: FileKind? { item.kind.flatMap { FileKind(name: $0.rawValue) } }
    /// The media type that its name says, as in `image/png`.
    public var contentType: String? { item.contentType }
    /// The media type and all that it is a kind of, nearest first.
    public var contentTypeTree: [String]? { item.contentTypeTree }
    /// Size in bytes.
    public var size: Int64? { item.size }
    /// When the file came into being, where the file system keeps that.
    public var created: Timestamp? { item.created }
    /// When the content changed last.
    public var modified: Timestamp? { item.modified }
    /// When the inode changed last: content, mode, owner, links or extended attributes.
    public var changed: Timestamp? { item.changed }
    /// The owner's name; its number where it has no name.
    public var owner: String? { item.owner }
    /// The owner's number.
    public var ownerID: Int64? { item.ownerID }
    /// The group's name; its number where it has no name.
    public var group: String? { item.group }
    /// The group's number.
    public var groupID: Int64? { item.groupID }
    /// The permission bits.
    public var mode: Int64? { item.mode }
    /// The inode's number.
    public var inode: Int64? { item.inode }
    /// The device that holds the file.
    public var device: Int64? { item.device }
    /// How many names the file has.
    public var links: Int64? { item.links }
    /// How many directories deep it lies: 1 at the top of a container.
    public var depth: Int64? { item.depth }
    /// Whether the name begins with a dot.
    public var isHidden: Bool? { item.hidden }
    /// The tags.
    public var tags: [String]? { item.tags }
    /// The comment.
    public var comment: String? { item.comment }
    /// The rating.
    public var rating: Int64? { item.rating }
    /// Where the file was fetched from.
    public var whereFrom: String? { item.whereFrom }
    /// Where a symbolic link leads.
    public var target: String? { item.target }
    /// The extended attributes that were asked for by their own names, `Attribute.extended`: those that it has
    /// and that are text, by their names without `user.`.
    public var extendedAttributes: [String: String]? { item.extended }
    /// Whether it lies inside a package. What does is found by predicates that name
    /// `inPackage`, and by who asks there: in a directory at or in the package, for such a path, an id or a parent.
    public var isInPackage: Bool? { item.inPackage }
}
