// The attributes of an item as values of the language.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
package import Metadata
package import MetadataIndex
package import PredicateLanguage

/// The attributes of one item as values, for uses without a typed test: general comparisons, sort keys, distinct
/// values.
package struct ItemValues<Reader: RowReader>: AttributeValues {
    package let row: Row
    package let reader: Reader
    package let environment: PlanEnvironment
    /// The path from the container's root, where the caller has it already or has a newer one than the reader.
    let knownPath: [UInt8]?

    package init(row: Row, reader: Reader, environment: PlanEnvironment) {
        self.init(row: row, reader: reader, environment: environment, path: nil)
    }

    init(row: Row, reader: Reader, environment: PlanEnvironment, path: [UInt8]?) {
        self.row = row
        self.reader = reader
        self.environment = environment
        knownPath = path
    }

    private var path: [UInt8] {
        if let knownPath { return knownPath }
        var path: [UInt8] = []
        reader.appendPath(of: row, to: &path)
        return path
    }

    private var absolutePath: [UInt8] { environment.rootPath + [UInt8(ascii: "/")] + path }

    private var contentType: ContentTypeDatabase.TypeNumber? {
        reader.withName(of: row) { environment.types.type(reader.kind(of: row), $0) }
    }

    package func value(of attribute: Attribute) -> MetadataValue {
        switch attribute {
        case .id:
            return reader.identifier(of: row).map { .string($0.text(epoch: environment.epoch)) } ?? .none
        case .parent:
            let parent = reader.parent(of: row)
            if parent == .root { return .none }
            return reader.identifier(of: parent).map { .string($0.text(epoch: environment.epoch)) } ?? .none
        case .name, .displayName:
            return .string(reader.withName(of: row) { String(bytes: $0) })
        case .path: return .string(String(bytes: absolutePath))
        case .fileExtension:
            return reader.withName(of: row) {
                DerivedText.fileExtension(of: $0).map { .string(String(bytes: $0)) } ?? .none
            }
        case .container: return .string(environment.container)
        case .scope: return .string(DerivedText.isInDocuments(path) ? "documents" : "data")
        case .kind: return .string(reader.kind(of: row).name.description)
        case .contentType:
            return contentType.map { .string(environment.types.text(of: $0)) } ?? .none
        case .contentTypeTree:
            guard let contentType else { return .none }
            return .array(environment.types.tree(of: environment.types.text(of: contentType)).map { .string($0) })
        case .size: return .integer(environment.status(of: row, in: reader).size)
        case .created: return reader.status(of: row).created.map { .date($0) } ?? .none
        case .modified: return .date(environment.status(of: row, in: reader).modified)
        case .changed: return .date(environment.status(of: row, in: reader).changed)
        case .owner:
            let name = environment.accounts.user(reader.status(of: row).owner)
            return .string(String(decoding: name, as: UTF8.self))
        case .ownerID: return .integer(Int64(reader.status(of: row).owner))
        case .group:
            let name = environment.accounts.group(reader.status(of: row).group)
            return .string(String(decoding: name, as: UTF8.self))
        case .groupID: return .integer(Int64(reader.status(of: row).group))
        case .mode: return .integer(Int64(reader.status(of: row).mode))
        case .inode: return MetadataValue(whole: reader.status(of: row).inode)
        case .device: return MetadataValue(whole: reader.status(of: row).device)
        case .links: return .integer(Int64(reader.status(of: row).links))
        case .depth: return .integer(Int64(DerivedText.depth(ofPath: path)))
        case .inPackage: return .boolean(reader.isInsidePackage(row))
        case .isConflictVersion: return .boolean(reader.isConflictVersion(row))
        case .conflictOf:
            // A walk to the root is for versions only.
            guard reader.isConflictVersion(row) else { return .none }
            return DerivedText.conflictOf(path: absolutePath).map { .string(String(decoding: $0, as: UTF8.self)) }
                ?? .none
        case .conflictDevice:
            guard let device = reader.conflictName(of: row)?.device, !device.isEmpty else { return .none }
            return .string(device)
        case .conflictDate: return reader.conflictName(of: row).map { .date($0.date) } ?? .none
        case .hasUnresolvedConflicts: return .boolean(environment.conflictVersions(of: row, in: reader) > 0)
        case .conflictVersions: return .integer(environment.conflictVersions(of: row, in: reader))
        case .isUbiquitous, .downloadingStatus, .isDownloading, .percentDownloaded, .downloadingError, .isUploaded,
            .isUploading, .percentUploaded, .uploadedTo, .uploadingError, .savingDevice:
            return reader.sync(of: row).value(of: attribute)
        case .hidden: return .boolean(reader.withName(of: row) { DerivedText.isHidden($0) })
        case .tags, .comment, .rating, .whereFrom, .target, .extended:
            // A predicate does not distinguish an attribute that is missing from one that was not read.
            return environment.xattrs(of: row, in: reader).value(of: attribute)
        }
    }

    package func withText<Result>(
        of attribute: Attribute, _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
    ) throws(EvaluationError) -> Result {
        switch attribute {
        case .name, .displayName:
            return try reader.withName(of: row) { (name) throws(EvaluationError) in try body(name) }
        case .fileExtension:
            return try reader.withName(of: row) { (name) throws(EvaluationError) in
                try body(DerivedText.fileExtension(of: name))
            }
        case .path: return try lend(absolutePath, body)
        default:
            guard case .string(let text) = value(of: attribute) else { return try body(nil) }
            return try lend(Array(text.utf8), body)
        }
    }

    private func lend<Result>(
        _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
    ) throws(EvaluationError) -> Result {
        try bytes.withUnsafeBufferPointer { (buffer) throws(EvaluationError) in
            try body(UnsafeRawBufferPointer(buffer))
        }
    }
}

/// An item with one known attribute. A comparison that reads no other is evaluated once for each possible value, and
/// not for each row.
struct OneValue: AttributeValues {
    let attribute: Attribute
    let value: MetadataValue

    func value(of attribute: Attribute) -> MetadataValue { attribute == self.attribute ? value : .none }
}
