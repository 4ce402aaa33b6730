// An item as a client sees it: the bytes that came, read when asked.
// SPDX-License-Identifier: Apache-2.0

package import Metadata
package import Varlink

/// One item of a reply. It copies its own bytes, so it does not pin the reply, and decodes a field on each access: O(bytes of
/// the item), a hundred or so.
package struct Item: JSONMessage, Hashable {
    /// The item's identity.
    package let id: String
    private let bytes: [UInt8]

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        bytes = try reader.copyValue()
        var id: String?
        do throws(JSONError) {
            try Item.readFields(bytes) { (reader) throws(JSONError) in
                if reader.keyIs("id") { id = try reader.readString() } else { try reader.skipValue() }
            }
        } catch {
            throw JSONError(error.reason, at: start + error.position)
        }
        guard let id else { throw JSONError(.missingField("id"), at: start) }
        self.id = id
    }

    package func write(to writer: inout JSONWriter) { bytes.withUnsafeBytes { writer.raw($0) } }

    /// The item's JSON object.
    package var json: [UInt8] { bytes }

    private static func readFields(
        _ bytes: [UInt8], _ body: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        let result: Result<Void, JSONError> = bytes.withUnsafeBytes { bytes in
            do throws(JSONError) {
                try JSONReader.read(bytes) { (reader) throws(JSONError) in
                    try reader.beginObject()
                    while try reader.nextKey() { try body(&reader) }
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func field<Value>(
        _ name: StaticString, _ read: (inout JSONReader) throws(JSONError) -> Value
    ) -> Value? {
        var value: Value?
        // A field of another type than the interface declares is as good as absent.
        try? Item.readFields(bytes) { (reader) throws(JSONError) in
            if reader.keyIs(name) {
                value = try reader.readNullIfPresent() ? nil : try read(&reader)
            } else {
                try reader.skipValue()
            }
        }
        return value
    }

    private func string(_ name: StaticString) -> String? {
        field(name) { (reader) throws(JSONError) in try reader.readString() }
    }

    private func integer(_ name: StaticString) -> Int64? {
        field(name) { (reader) throws(JSONError) in try reader.readInteger() }
    }

    private func unsigned(_ name: StaticString) -> UInt64? { integer(name).map { UInt64(bitPattern: $0) } }

    private func boolean(_ name: StaticString) -> Bool? {
        field(name) { (reader) throws(JSONError) in try reader.readBool() }
    }

    private func strings(_ name: StaticString) -> [String]? {
        field(name) { (reader) throws(JSONError) in try reader.readStrings() }
    }

    private func date(_ name: StaticString) -> Timestamp? {
        string(name).flatMap { Timestamp(rfc3339: $0) }
    }

    private func decoded(_ name: StaticString) -> [UInt8]? {
        field(name) { (reader) throws(JSONError) in try reader.withString { Base64.decode($0) } }.flatMap { $0 }
    }

    // MARK: Fields, each nil where it was not asked for or has no value

    /// The id of the item's directory; nil also at the top of a container.
    package var parent: String? { string("parent") }
    /// The file name, with U+FFFD for invalid UTF-8.
    package var name: String? { string("name") }
    /// The absolute path, with U+FFFD for invalid UTF-8.
    package var path: String? { string("path") }
    /// The name's own bytes.
    package var nameBytes: [UInt8]? { decoded("rawName") ?? name.map { Array($0.utf8) } }
    /// The path's own bytes.
    package var pathBytes: [UInt8]? { decoded("rawPath") ?? path.map { Array($0.utf8) } }
    /// The former path of a changed item whose path changed.
    package var previousPath: String? { string("previousPath") }
    /// The former path's own bytes.
    package var previousPathBytes: [UInt8]? {
        decoded("rawPreviousPath") ?? previousPath.map { Array($0.utf8) }
    }
    package var displayName: String? { string("displayName") }
    package var fileExtension: String? { string("fileExtension") }
    package var container: String? { string("container") }
    package var scope: ItemScope? { field("scope") { (reader) throws(JSONError) in try ItemScope(from: &reader) } }
    package var kind: ItemKind? { field("kind") { (reader) throws(JSONError) in try ItemKind(from: &reader) } }
    package var contentType: String? { string("contentType") }
    package var contentTypeTree: [String]? { strings("contentTypeTree") }
    package var size: Int64? { integer("size") }
    package var created: Timestamp? { date("created") }
    package var modified: Timestamp? { date("modified") }
    package var changed: Timestamp? { date("changed") }
    package var owner: String? { string("owner") }
    package var ownerID: Int64? { integer("ownerID") }
    package var group: String? { string("group") }
    package var groupID: Int64? { integer("groupID") }
    package var mode: Int64? { integer("mode") }
    package var inode: UInt64? { unsigned("inode") }
    package var device: UInt64? { unsigned("device") }
    package var links: Int64? { integer("links") }
    package var depth: Int64? { integer("depth") }
    package var hidden: Bool? { boolean("hidden") }
    /// Where a symbolic link leads.
    package var target: String? { string("target") }
    package var tags: [String]? { strings("tags") }
    /// Whether it lies inside a package.
    package var inPackage: Bool? { boolean("inPackage") }
    /// Whether the name is that of a conflict version.
    package var isConflictVersion: Bool? { boolean("isConflictVersion") }
    /// The path of the file that a conflict version belongs to, with U+FFFD for invalid UTF-8.
    package var conflictOf: String? { string("conflictOf") }
    /// The own bytes of the path of the file that a conflict version belongs to.
    package var conflictOfBytes: [UInt8]? { decoded("rawConflictOf") ?? conflictOf.map { Array($0.utf8) } }
    /// The device in the name of a conflict version.
    package var conflictDevice: String? { string("conflictDevice") }
    /// The date in the name of a conflict version.
    package var conflictDate: Timestamp? { date("conflictDate") }
    package var hasUnresolvedConflicts: Bool? { boolean("hasUnresolvedConflicts") }
    package var conflictVersions: Int64? { integer("conflictVersions") }
    package var isUbiquitous: Bool? { boolean("isUbiquitous") }
    package var downloadingStatus: String? { string("downloadingStatus") }
    package var isDownloading: Bool? { boolean("isDownloading") }
    package var percentDownloaded: Int64? { integer("percentDownloaded") }
    package var downloadingError: String? { string("downloadingError") }
    package var isUploaded: Bool? { boolean("isUploaded") }
    package var isUploading: Bool? { boolean("isUploading") }
    package var percentUploaded: Int64? { integer("percentUploaded") }
    /// The names of the other devices that have the present content.
    package var uploadedTo: [String]? { strings("uploadedTo") }
    package var uploadingError: String? { string("uploadingError") }
    package var savingDevice: String? { string("savingDevice") }
    package var comment: String? { string("comment") }
    package var rating: Int64? { integer("rating") }
    package var whereFrom: String? { string("whereFrom") }
    /// The extended attributes asked for as `xattr.NAME`, under NAME.
    package var extended: [String: String]? {
        field("extended") { (reader) throws(JSONError) in
            var values: [String: String] = [:]
            try reader.beginObject()
            while try reader.nextKey() {
                let key = reader.key
                values[key] = try reader.readString()
            }
            return values
        }
    }

    /// The values of several attributes in their order, in one pass over the item's bytes. See ``value(of:)``.
    /// No attribute may be there twice.
    package func values(of attributes: [Attribute]) -> [MetadataValue] {
        var values = [MetadataValue](repeating: .none, count: attributes.count)
        do throws(JSONError) {
            try Item.readFields(bytes) { (reader) throws(JSONError) in
                if reader.keyIs("extended") { return try Item.readExtended(&reader, attributes, &values) }
                if let index = attributes.firstIndex(where: { reader.keyIs($0.fieldName) }) {
                    if try reader.readNullIfPresent() { return }
                    values[index] = try Item.read(attributes[index], &reader)
                } else {
                    try reader.skipValue()
                }
            }
            return values
        } catch {
            // A field of another type than the interface declares hides no other one.
            return attributes.map { value(of: $0) }
        }
    }

    private static func read(_ attribute: Attribute, _ reader: inout JSONReader) throws(JSONError) -> MetadataValue {
        switch attribute.type {
        case .integer: attribute.value(ofBits: try reader.readInteger())
        case .date: Timestamp(rfc3339: try reader.readString()).map { .date($0) } ?? .none
        case .boolean: .boolean(try reader.readBool())
        case .strings: .array(try reader.readStrings().map { .string($0) })
        default: .string(try reader.readString())
        }
    }

    private static func readExtended(
        _ reader: inout JSONReader, _ attributes: [Attribute], _ values: inout [MetadataValue]
    ) throws(JSONError) {
        if try reader.readNullIfPresent() { return }
        try reader.beginObject()
        while try reader.nextKey() {
            let key = reader.key
            let index = attributes.firstIndex { if case .extended(let name) = $0 { name.text == key } else { false } }
            if let index { values[index] = .string(try reader.readString()) } else { try reader.skipValue() }
        }
    }

    /// The value of any attribute, in the type that predicates know it by; `.none` where it is absent.
    package func value(of attribute: Attribute) -> MetadataValue {
        if case .extended(let name) = attribute { return extended?[name.text].map { .string($0) } ?? .none }
        let name = attribute.fieldName
        switch attribute.type {
        case .integer: return integer(name).map { attribute.value(ofBits: $0) } ?? .none
        case .date: return date(name).map { .date($0) } ?? .none
        case .boolean: return boolean(name).map { .boolean($0) } ?? .none
        case .strings: return strings(name).map { .array($0.map { .string($0) }) } ?? .none
        default: return string(name).map { .string($0) } ?? .none
        }
    }
}
