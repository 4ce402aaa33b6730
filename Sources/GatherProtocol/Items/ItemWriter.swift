// Writing items from raw values: the daemon's hot path, once for each item of an answer.
// SPDX-License-Identifier: Apache-2.0

package import Metadata
package import Varlink

/// Writes the fields of one item after the other into a ``JSONWriter`` that stands inside an array of items:
/// ``begin(id:to:)``, the fields that were asked for and have a value, ``end(_:)``. Nothing is allocated for an item
/// once the writer has grown to its size.
package enum ItemWriter {
    /// Opens an item. `id` is plain ASCII without quotes and backslashes.
    package static func begin(id: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.string(replacingInvalid: id)
    }

    /// Opens an item.
    package static func begin(id: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", id)
    }

    /// Closes the item.
    package static func end(_ writer: inout JSONWriter) { writer.endObject() }

    // MARK: Names and paths: bytes, which need not be UTF-8

    /// `name`, with `rawName` where the bytes are not UTF-8.
    package static func name(_ bytes: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
        text("name", raw: "rawName", bytes, to: &writer)
    }

    /// `path`, with `rawPath` where the bytes are not UTF-8.
    package static func path(_ bytes: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
        text("path", raw: "rawPath", bytes, to: &writer)
    }

    /// `previousPath`, with `rawPreviousPath` where the bytes are not UTF-8.
    package static func previousPath(_ bytes: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
        text("previousPath", raw: "rawPreviousPath", bytes, to: &writer)
    }

    private static func text(
        _ name: StaticString, raw: StaticString, _ bytes: UnsafeRawBufferPointer, to writer: inout JSONWriter
    ) {
        writer.key(name)
        if writer.string(replacingInvalid: bytes) { return }
        writer.key(raw)
        writer.base64(bytes)
    }

    /// `displayName`.
    package static func displayName(_ bytes: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
        writer.key("displayName")
        writer.string(replacingInvalid: bytes)
    }

    /// `fileExtension`.
    package static func fileExtension(_ bytes: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
        writer.key("fileExtension")
        writer.string(replacingInvalid: bytes)
    }

    // MARK: Values

    /// `parent`: an id.
    package static func parent(_ id: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
        writer.key("parent")
        writer.string(replacingInvalid: id)
    }

    /// `kind`.
    package static func kind(_ kind: FileKind, to writer: inout JSONWriter) {
        switch kind {
        case .file: writer.entry("\"kind\":\"file\"")
        case .directory: writer.entry("\"kind\":\"directory\"")
        case .package: writer.entry("\"kind\":\"package\"")
        case .symlink: writer.entry("\"kind\":\"symlink\"")
        case .fifo: writer.entry("\"kind\":\"fifo\"")
        case .socket: writer.entry("\"kind\":\"socket\"")
        case .characterDevice: writer.entry("\"kind\":\"characterDevice\"")
        case .blockDevice: writer.entry("\"kind\":\"blockDevice\"")
        }
    }

    /// `scope`.
    package static func scope(_ scope: ItemScope, to writer: inout JSONWriter) {
        writer.entry(scope == .documents ? "\"scope\":\"documents\"" : "\"scope\":\"data\"")
    }

    /// An integer attribute, such as `size`. Numbers of 64 bits without sign, such as inodes, travel as the signed
    /// number with the same bits, since Varlink's integers are signed.
    package static func integer(_ value: Int64, _ attribute: Attribute, to writer: inout JSONWriter) {
        writer.key(attribute.fieldName)
        writer.integer(value)
    }

    /// A date, such as `created`.
    package static func date(_ value: Timestamp, _ attribute: Attribute, to writer: inout JSONWriter) {
        writer.key(attribute.fieldName)
        writer.timestamp(value)
    }

    /// `hidden`.
    package static func hidden(_ value: Bool, to writer: inout JSONWriter) {
        writer.entry(value ? "\"hidden\":true" : "\"hidden\":false")
    }

    /// `inPackage`.
    package static func inPackage(_ value: Bool, to writer: inout JSONWriter) {
        writer.entry(value ? "\"inPackage\":true" : "\"inPackage\":false")
    }

    /// A boolean attribute, such as `isConflictVersion`.
    package static func boolean(_ value: Bool, _ attribute: Attribute, to writer: inout JSONWriter) {
        writer.key(attribute.fieldName)
        writer.bool(value)
    }

    /// `conflictOf`, with `rawConflictOf` where the bytes are not UTF-8.
    package static func conflictOf(_ bytes: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
        text("conflictOf", raw: "rawConflictOf", bytes, to: &writer)
    }

    /// A string attribute, such as `owner`, `group` or `container`.
    package static func string(_ value: String, _ attribute: Attribute, to writer: inout JSONWriter) {
        writer.key(attribute.fieldName)
        writer.string(value)
    }

    /// A list of strings: `tags` or `contentTypeTree`.
    package static func strings(_ values: [String], _ attribute: Attribute, to writer: inout JSONWriter) {
        writer.field(attribute.fieldName, values)
    }

    /// `extended`: those of the named attributes that there are and that are text.
    package static func extended(
        _ xattrs: ExtraAttributes, _ names: [ExtendedAttributeName], to writer: inout JSONWriter
    ) {
        var isOpen = false
        for name in names {
            guard case .string(let text) = xattrs.value(of: .extended(name)) else { continue }
            if !isOpen {
                writer.key("extended")
                writer.beginObject()
                isOpen = true
            }
            writer.key(escaping: name.text)
            writer.string(text)
        }
        if isOpen { writer.endObject() }
    }

    /// All that a status tells of one attribute; false, and nothing is written, for an attribute that it does not hold,
    /// or `created` where the file system does not keep that.
    @discardableResult
    package static func status(_ status: FileStatus, _ attribute: Attribute, to writer: inout JSONWriter) -> Bool {
        switch attribute {
        case .kind: kind(status.kind, to: &writer)
        case .size: integer(status.size, attribute, to: &writer)
        case .created:
            guard let created = status.created else { return false }
            date(created, attribute, to: &writer)
        case .modified: date(status.modified, attribute, to: &writer)
        case .changed: date(status.changed, attribute, to: &writer)
        case .ownerID: integer(Int64(status.owner), attribute, to: &writer)
        case .groupID: integer(Int64(status.group), attribute, to: &writer)
        case .mode: integer(Int64(status.mode), attribute, to: &writer)
        case .inode: integer(Int64(bitPattern: status.inode), attribute, to: &writer)
        case .device: integer(Int64(bitPattern: status.device), attribute, to: &writer)
        case .links: integer(Int64(status.links), attribute, to: &writer)
        default: return false
        }
        return true
    }

    /// An entry of `removed`, whole: `id`, `path` and, where the path is not UTF-8, `rawPath`.
    package static func removal(
        id: UnsafeRawBufferPointer, path: UnsafeRawBufferPointer, to writer: inout JSONWriter
    ) {
        begin(id: id, to: &writer)
        self.path(path, to: &writer)
        end(&writer)
    }
}
