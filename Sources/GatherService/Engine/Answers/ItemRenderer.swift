// From rows to JSON: one item after the other, in the fields that were asked for.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import GatherProtocol
import LiveQueries
import Metadata
import MetadataIndex
import Varlink

/// Writes items of one container into replies. A value: each answer has its own, on whatever thread makes it. Nothing is
/// allocated for an item once its buffers have grown.
struct ItemRenderer: Sendable {
    private var container: String
    private var epoch: UInt64
    /// The container's directory with a slash behind it.
    private var rootPrefix: [UInt8]
    private let attributes: [Attribute]
    private let readsStatus: Bool
    private let readsPath: Bool
    private let readsXattrs: Bool
    /// Extended attributes by their own names.
    private let extended: [ExtendedAttributeName]
    /// Those of now, also where they were others when this was made.
    var names: AccountNames
    private let tellsUser: Bool
    private let tellsGroup: Bool
    private let types: ContentTypeDatabase
    /// The caller; nil for one who sees everything.
    private let caller: Credentials?

    private var path: [UInt8] = []
    private var text: [UInt8] = []
    /// The directory of the last path, and how many bytes of `path` it takes: rows of one directory come in runs.
    private var pathParent: Row?
    private var pathPrefixCount = 0

    init(
        record: ContainerRecord, attributes: AttributeSet, names: AccountNames, types: ContentTypeDatabase,
        caller: Credentials?
    ) {
        self.caller = caller
        container = record.identifier
        epoch = record.index.epoch
        rootPrefix = record.rootPrefix
        var attributes = attributes
        attributes.remove(.id)
        self.attributes = attributes.attributes.filter { $0.ordinal != nil }
        extended = attributes.extended
        readsXattrs = attributes.containsXattrs
        self.names = names
        (tellsUser, tellsGroup) = (attributes.contains(.owner), attributes.contains(.group))
        self.types = types
        readsPath = attributes.contains(.path) || attributes.contains(.scope) || attributes.contains(.conflictOf)
        readsStatus = self.attributes.contains { ItemRenderer.isOfStatus($0) }
    }

    /// The same for items of another container, before any was written.
    func moved(to record: ContainerRecord) -> ItemRenderer {
        var renderer = self
        renderer.container = record.identifier
        renderer.epoch = record.index.epoch
        renderer.rootPrefix = record.rootPrefix
        return renderer
    }

    /// Writes the item in a row. `previousPath` is relative to the container.
    mutating func write(
        _ row: Row, of snapshot: IndexSnapshot, previousPath: [UInt8]? = nil, to writer: inout JSONWriter
    ) {
        guard let identifier = snapshot.identifier(of: row) else { return }
        text.removeAll(keepingCapacity: true)
        identifier.appendText(epoch: epoch, to: &text)
        text.withUnsafeBytes { ItemWriter.begin(id: $0, to: &writer) }
        let status = readsStatus ? snapshot.status(of: row, for: caller) : nil
        if readsPath { makePath(of: row, in: snapshot) }
        for attribute in attributes where !attribute.isExtra {
            write(attribute, of: row, status, in: snapshot, to: &writer)
        }
        if readsXattrs { writeXattrs(of: row, in: snapshot, to: &writer) }
        if let previousPath {
            text.removeAll(keepingCapacity: true)
            text += rootPrefix
            text += previousPath
            text.withUnsafeBytes { ItemWriter.previousPath($0, to: &writer) }
        }
        ItemWriter.end(&writer)
    }

    /// Writes an item that is no longer in the answer. `lastPath` is relative to the container.
    mutating func writeRemoval(_ identifier: ItemIdentifier, lastPath: [UInt8], to writer: inout JSONWriter) {
        text.removeAll(keepingCapacity: true)
        identifier.appendText(epoch: epoch, to: &text)
        path.removeAll(keepingCapacity: true)
        pathParent = nil
        path += rootPrefix
        path += lastPath
        text.withUnsafeBytes { id in path.withUnsafeBytes { ItemWriter.removal(id: id, path: $0, to: &writer) } }
    }

    /// Adds the accounts that writing the item in a row asks for and that are not known.
    func appendUnknownAccounts(of row: Row, in snapshot: IndexSnapshot, to numbers: inout AccountNumbers) {
        guard tellsUser || tellsGroup else { return }
        let status = snapshot.status(of: row)
        if tellsUser, !names.knows(user: status.owner) { numbers.users.insert(status.owner) }
        if tellsGroup, !names.knows(group: status.group) { numbers.groups.insert(status.group) }
    }

    /// Forgets the directory of the last path: rows may have moved since.
    mutating func forgetPlaces() { pathParent = nil }

    private mutating func write(
        _ attribute: Attribute, of row: Row, _ status: FileStatus?, in snapshot: IndexSnapshot,
        to writer: inout JSONWriter
    ) {
        switch attribute {
        case .id: return
        case .name: snapshot.withName(of: row) { ItemWriter.name($0, to: &writer) }
        case .displayName: snapshot.withName(of: row) { ItemWriter.displayName($0, to: &writer) }
        case .fileExtension:
            snapshot.withName(of: row) { name in
                guard let fileExtension = DerivedText.fileExtension(of: name) else { return }
                ItemWriter.fileExtension(fileExtension, to: &writer)
            }
        case .path: path.withUnsafeBytes { ItemWriter.path($0, to: &writer) }
        case .parent:
            let parent = snapshot.parent(of: row)
            guard parent != .root, let identifier = snapshot.identifier(of: parent) else { return }
            text.removeAll(keepingCapacity: true)
            identifier.appendText(epoch: epoch, to: &text)
            text.withUnsafeBytes { ItemWriter.parent($0, to: &writer) }
        case .container: ItemWriter.string(container, attribute, to: &writer)
        case .scope:
            let inDocuments = DerivedText.isInDocuments(Array(path[rootPrefix.count...]))
            ItemWriter.scope(inDocuments ? .documents : .data, to: &writer)
        case .depth: ItemWriter.integer(Int64(snapshot.depth(of: row)), attribute, to: &writer)
        case .inPackage: ItemWriter.inPackage(snapshot.isInsidePackage(row), to: &writer)
        case .isConflictVersion:
            ItemWriter.boolean(snapshot.isConflictVersion(row), attribute, to: &writer)
        case .conflictOf:
            guard snapshot.isConflictVersion(row), let original = DerivedText.conflictOf(path: path) else { return }
            original.withUnsafeBytes { ItemWriter.conflictOf($0, to: &writer) }
        case .conflictDevice:
            guard let device = snapshot.conflictName(of: row)?.device, !device.isEmpty else { return }
            ItemWriter.string(device, attribute, to: &writer)
        case .conflictDate:
            guard let name = snapshot.conflictName(of: row) else { return }
            ItemWriter.date(name.date, attribute, to: &writer)
        case .hasUnresolvedConflicts:
            ItemWriter.boolean(snapshot.conflictVersions(of: row, for: caller) > 0, attribute, to: &writer)
        case .conflictVersions:
            ItemWriter.integer(snapshot.conflictVersions(of: row, for: caller), attribute, to: &writer)
        case .isUbiquitous, .downloadingStatus, .isDownloading, .percentDownloaded, .downloadingError, .isUploaded,
            .isUploading, .percentUploaded, .uploadedTo, .uploadingError, .savingDevice:
            let state = snapshot.sync(of: row)
            switch state.value(of: attribute) {
            case .boolean(let value): ItemWriter.boolean(value, attribute, to: &writer)
            case .integer(let value): ItemWriter.integer(value, attribute, to: &writer)
            case .string(let value): ItemWriter.string(value, attribute, to: &writer)
            case .array: ItemWriter.strings(state.uploadedTo, attribute, to: &writer)
            default: return
            }
        case .hidden: snapshot.withName(of: row) { ItemWriter.hidden($0.first == UInt8(ascii: "."), to: &writer) }
        case .contentType, .contentTypeTree:
            let type = snapshot.withName(of: row) { types.type(snapshot.kind(of: row), $0) }
            guard let type else { return }
            if attribute == .contentType {
                ItemWriter.string(types.text(of: type), attribute, to: &writer)
            } else {
                ItemWriter.strings(types.tree(of: types.text(of: type)), attribute, to: &writer)
            }
        case .tags, .comment, .rating, .whereFrom, .target, .extended: return
        case .owner, .group:
            guard let status else { return }
            let name = attribute == .owner ? names.user(status.owner) : names.group(status.group)
            ItemWriter.string(String(decoding: name, as: UTF8.self), attribute, to: &writer)
        case .kind, .size, .created, .modified, .changed, .ownerID, .groupID, .mode, .inode, .device, .links:
            if let status { ItemWriter.status(status, attribute, to: &writer) }
        }
    }

    /// Extended attributes are for callers that may read the file (xattr(7)); the target of a link is for all that see
    /// it.
    private func writeXattrs(of row: Row, in snapshot: IndexSnapshot, to writer: inout JSONWriter) {
        guard let xattrs = snapshot.xattrs(of: row), !xattrs.isEmpty,
            xattrs.isTarget || caller?.may(.read, snapshot.access(of: row)) ?? true
        else { return }
        for attribute in attributes where attribute.isExtra {
            if attribute == .tags {
                let tags = xattrs.tags
                if !tags.isEmpty { ItemWriter.strings(tags, attribute, to: &writer) }
                continue
            }
            switch xattrs.value(of: attribute) {
            case .string(let text): ItemWriter.string(text, attribute, to: &writer)
            case .integer(let number): ItemWriter.integer(number, attribute, to: &writer)
            default: break
            }
        }
        ItemWriter.extended(xattrs, extended, to: &writer)
    }

    private mutating func makePath(of row: Row, in snapshot: IndexSnapshot) {
        let parent = snapshot.parent(of: row)
        if pathParent == parent {
            path.removeSubrange(pathPrefixCount...)
        } else {
            path.removeAll(keepingCapacity: true)
            path += rootPrefix
            if parent != .root {
                snapshot.appendPath(of: parent, to: &path)
                path.append(UInt8(ascii: "/"))
            }
            pathPrefixCount = path.count
            pathParent = parent
        }
        snapshot.withName(of: row) { path.append(contentsOf: $0) }
    }

    private static func isOfStatus(_ attribute: Attribute) -> Bool {
        switch attribute {
        case .kind, .size, .created, .modified, .changed, .owner, .ownerID, .group, .groupID, .mode, .inode, .device,
            .links:
            true
        case .id, .parent, .name, .path, .displayName, .fileExtension, .contentType, .contentTypeTree, .container,
            .scope,
            .depth, .hidden, .tags, .comment, .rating, .whereFrom, .target, .inPackage, .isConflictVersion, .conflictOf,
            .conflictDevice, .conflictDate, .hasUnresolvedConflicts, .conflictVersions, .isUbiquitous,
            .downloadingStatus,
            .isDownloading, .percentDownloaded, .downloadingError, .isUploaded, .isUploading, .percentUploaded,
            .uploadedTo,
            .uploadingError, .savingDevice, .extended:
            false
        }
    }
}
