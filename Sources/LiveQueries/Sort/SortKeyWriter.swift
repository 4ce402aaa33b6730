// Writes sort keys as bytes that compare in the sort order.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import Metadata
import MetadataIndex

/// Writes the sort key of a row as ``SortKeyBytes``.
struct SortKeyWriter {
    private let order: SortOrder
    private let snapshot: IndexSnapshot
    private let environment: PlanEnvironment
    private var key = SortKeyBytes()
    private var text: [UInt8] = []
    private var names: [UInt64: [UInt8]] = [:]

    init(_ order: SortOrder, _ snapshot: IndexSnapshot, _ environment: PlanEnvironment) {
        self.order = order
        self.snapshot = snapshot
        self.environment = environment
    }

    /// The key of the last row.
    var bytes: [UInt8] { key.bytes }

    /// Writes the key of a row into ``bytes``.
    mutating func write(_ row: Row) {
        key.reset()
        for part in order.keys {
            let start = key.bytes.count
            write(part.attribute, row)
            if !part.isAscending { key.invert(from: start) }
        }
    }

    private mutating func write(_ attribute: Attribute, _ row: Row) {
        switch attribute {
        case .name, .displayName:
            text.removeAll(keepingCapacity: true)
            snapshot.withName(of: row) { text.append(contentsOf: $0) }
            key.append(text: text)
        case .fileExtension:
            text.removeAll(keepingCapacity: true)
            snapshot.withName(of: row) { name in
                if let part = DerivedText.fileExtension(of: name) { text.append(contentsOf: part) }
            }
            if text.isEmpty { key.appendMissing() } else { key.append(text: text) }
        case .path:
            text.removeAll(keepingCapacity: true)
            text.append(contentsOf: environment.rootPath)
            text.append(UInt8(ascii: "/"))
            snapshot.appendPath(of: row, to: &text)
            key.append(text: text)
        case .kind:
            text = Array(snapshot.kind(of: row).name.description.utf8)
            key.append(text: text)
        case .contentType:
            if let type = contentType(of: row) { key.append(text: Array(type.utf8)) } else { key.appendMissing() }
        case .contentTypeTree: key.append(texts: contentType(of: row).map(environment.types.tree(of:)) ?? [])
        case .owner, .group:
            let status = snapshot.status(of: row)
            text = accountName(attribute == .owner ? status.owner : status.group, isGroup: attribute == .group)
            key.append(text: text)
        case .tags: key.append(texts: environment.xattrs(of: row, in: snapshot).tags)
        case .comment, .rating, .whereFrom, .target, .extended:
            switch environment.xattrs(of: row, in: snapshot).value(of: attribute) {
            case .string(let value): key.append(text: Array(value.utf8))
            case .integer(let value): key.append(value)
            default: key.appendMissing()
            }
        case .id: key.append(Self.number(snapshot.identifier(of: row)))
        case .parent:
            let parent = snapshot.parent(of: row)
            key.append(Self.number(parent == .root ? nil : snapshot.identifier(of: parent)))
        case .container:
            text = Array(environment.container.utf8)
            key.append(text: text)
        case .scope:
            text.removeAll(keepingCapacity: true)
            snapshot.appendPath(of: row, to: &text)
            // 'data' comes before 'documents'.
            key.append(DerivedText.isInDocuments(text))
        case .inPackage: key.append(snapshot.isInsidePackage(row))
        case .isConflictVersion: key.append(snapshot.isConflictVersion(row))
        case .conflictOf:
            guard snapshot.isConflictVersion(row) else {
                key.appendMissing()
                break
            }
            text = environment.rootPath + [UInt8(ascii: "/")]
            snapshot.appendPath(of: row, to: &text)
            if let path = DerivedText.conflictOf(path: text) { key.append(text: path) } else { key.appendMissing() }
        case .conflictDevice:
            if let device = snapshot.conflictName(of: row)?.device, !device.isEmpty {
                key.append(text: Array(device.utf8))
            } else {
                key.appendMissing()
            }
        case .conflictDate: key.append(snapshot.conflictName(of: row)?.date.nanoseconds)
        case .hasUnresolvedConflicts: key.append(environment.conflictVersions(of: row, in: snapshot) > 0)
        case .conflictVersions: key.append(environment.conflictVersions(of: row, in: snapshot))
        case .isUbiquitous, .downloadingStatus, .isDownloading, .percentDownloaded, .downloadingError, .isUploaded,
            .isUploading, .percentUploaded, .uploadedTo, .uploadingError, .savingDevice:
            switch snapshot.sync(of: row).value(of: attribute) {
            case .boolean(let value): key.append(value)
            case .integer(let value): key.append(value)
            case .string(let value): key.append(text: Array(value.utf8))
            case .array: key.append(texts: snapshot.sync(of: row).uploadedTo)
            default: key.appendMissing()
            }
        case .hidden: key.append(snapshot.withName(of: row) { DerivedText.isHidden($0) })
        case .depth: key.append(Int64(snapshot.depth(of: row)))
        case .size: key.append(environment.status(of: row, in: snapshot).size)
        case .created: key.append(snapshot.status(of: row).created?.nanoseconds)
        case .modified: key.append(environment.status(of: row, in: snapshot).modified.nanoseconds)
        case .changed: key.append(environment.status(of: row, in: snapshot).changed.nanoseconds)
        case .ownerID: key.append(Int64(snapshot.status(of: row).owner))
        case .groupID: key.append(Int64(snapshot.status(of: row).group))
        case .mode: key.append(Int64(snapshot.status(of: row).mode))
        case .inode: key.append(snapshot.status(of: row).inode)
        case .device: key.append(snapshot.status(of: row).device)
        case .links: key.append(Int64(snapshot.status(of: row).links))
        }
    }

    private func contentType(of row: Row) -> String? {
        snapshot.withName(of: row) { environment.types.type(snapshot.kind(of: row), $0) }
            .map(environment.types.text(of:))
    }

    private mutating func accountName(_ number: UInt32, isGroup: Bool) -> [UInt8] {
        let account = UInt64(number) << 1 | (isGroup ? 1 : 0)
        if let name = names[account] { return name }
        let name = isGroup ? environment.accounts.group(number) : environment.accounts.user(number)
        names[account] = name
        return name
    }

    private static func number(_ identifier: ItemIdentifier?) -> Int64? {
        // Only one of the former and the present item of a row exists.
        identifier.map { Int64($0.row.number) }
    }
}
