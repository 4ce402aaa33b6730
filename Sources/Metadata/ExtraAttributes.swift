// The metadata of an entry that take extra system calls: extended attributes, or the target of a symbolic link.
// SPDX-License-Identifier: Apache-2.0

/// The extended attributes of a file or a directory in the namespace `user`, or the target of a symbolic link. A link
/// has no such attributes (`xattr(7)`).
///
/// All are one run of bytes, so that equal attributes of many entries are stored once. Attributes are in the order of
/// names. Each has the length of its name (one byte), the length of its value (two, little-endian), the name without
/// `user.`, and the value. The target of a link has the empty name, which no attribute has.
package struct ExtraAttributes: Sendable, Hashable {
    /// The limit of bytes for one entry: the 4 KiB that ext4 has for them, and the room in its inodes. An attribute
    /// that does not fit counts as missing. Those with names of their own come first.
    package static let byteLimit = 4_352

    /// No attributes.
    package static let none = ExtraAttributes(unchecked: [])

    static let headSize = 3

    /// The bytes; empty without attributes.
    package let bytes: [UInt8]

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Reads bytes from a file; nil if they are malformed. Complexity: O(bytes).
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= ExtraAttributes.byteLimit else { return nil }
        var last: UnsafeRawBufferPointer?
        var position = 0
        while position < bytes.count {
            guard let entry = Entry(at: position, in: bytes) else { return nil }
            let name = UnsafeRawBufferPointer(rebasing: bytes[entry.name])
            if name.isEmpty, entry.end != bytes.count || position != 0 { return nil }
            if let last, !last.lexicographicallyPrecedes(name) { return nil }
            (last, position) = (name, entry.end)
        }
        self.init(unchecked: Array(bytes))
    }

    /// Makes the record of attributes by their names without `user.`. No name may occur twice.
    package init(_ attributes: [(name: [UInt8], value: [UInt8])]) {
        let known = Attribute.fixed.compactMap(\.extraName)
        let ordered = attributes.filter { !$0.name.isEmpty && $0.name.count <= ExtendedAttributeName.maximumByteCount }
            .sorted { $0.name.lexicographicallyPrecedes($1.name) }
        var room = ExtraAttributes.byteLimit
        var fits = [Bool](repeating: false, count: ordered.count)
        for ofKnown in [true, false] {
            for (place, attribute) in ordered.enumerated() where known.contains(attribute.name) == ofKnown {
                let size = ExtraAttributes.headSize + attribute.name.count + attribute.value.count
                guard size <= room, place == 0 || ordered[place - 1].name != attribute.name else { continue }
                room -= size
                fits[place] = true
            }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ExtraAttributes.byteLimit - room)
        for (place, attribute) in ordered.enumerated() where fits[place] {
            ExtraAttributes.append(attribute.name, attribute.value, to: &bytes)
        }
        self.init(unchecked: bytes)
    }

    /// Makes the record of a symbolic link with this target.
    package init(target: [UInt8]) {
        var bytes: [UInt8] = []
        if target.count <= ExtraAttributes.byteLimit - ExtraAttributes.headSize {
            ExtraAttributes.append([], target, to: &bytes)
        }
        self.init(unchecked: bytes)
    }

    private static func append(_ name: [UInt8], _ value: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: name.count))
        bytes.append(UInt8(truncatingIfNeeded: value.count))
        bytes.append(UInt8(truncatingIfNeeded: value.count >> 8))
        bytes += name
        bytes += value
    }

    /// Whether there are no attributes.
    package var isEmpty: Bool { bytes.isEmpty }

    /// Whether the record is a link's target, which needs no permission on the link itself (`symlink(7)`).
    package var isTarget: Bool { bytes.first == 0 }

    /// The position of one attribute.
    private struct Entry {
        let name: Range<Int>
        let end: Int

        /// Reads the attribute at a position; nil if the bytes end within it.
        @inline(__always)
        init?(at position: Int, in bytes: UnsafeRawBufferPointer) {
            let start = position + ExtraAttributes.headSize
            guard start <= bytes.count else { return nil }
            let nameEnd = start + Int(bytes[position])
            end = nameEnd + (Int(bytes[position + 1]) | Int(bytes[position + 2]) << 8)
            guard end <= bytes.count else { return nil }
            name = start..<nameEnd
        }
    }

    // MARK: Values

    /// Lends the value with a name (``Attribute/extraName``); nil if there is none. Complexity: O(attributes).
    package func withValue<Result, Failure: Error>(
        named name: [UInt8], _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if bytes.isEmpty { return try body(nil) }
        return try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            let bytes = UnsafeRawBufferPointer(buffer)
            var position = 0
            while position < bytes.count, let entry = Entry(at: position, in: bytes) {
                if entry.name.count == name.count, bytes[entry.name].elementsEqual(name) {
                    return try body(UnsafeRawBufferPointer(rebasing: bytes[entry.name.upperBound..<entry.end]))
                }
                position = entry.end
            }
            return try body(nil)
        }
    }

    /// Returns the value of an attribute in its type.
    package func value(of attribute: Attribute) -> MetadataValue {
        guard let name = attribute.extraName else { return .none }
        return withValue(named: name) { value in
            guard let value else { return .none }
            switch attribute.type {
            case .integer: return ExtraAttributes.integer(value).map { .integer($0) } ?? .none
            case .strings:
                let tags = ExtraAttributes.tags(value)
                return tags.isEmpty ? .none : .array(tags.map { .string($0) })
            default: return ExtraAttributes.text(value, of: attribute).map { .string($0) } ?? .none
            }
        }
    }

    /// The tags; empty if there are none.
    package var tags: [String] {
        Attribute.tags.extraName.map { withValue(named: $0) { $0.map(ExtraAttributes.tags) ?? [] } } ?? []
    }

    /// The names of the attributes without `user.`, in order, if they are text.
    package var names: [ExtendedAttributeName] {
        bytes.withUnsafeBytes { bytes in
            var names: [ExtendedAttributeName] = []
            var position = 0
            while position < bytes.count, let entry = Entry(at: position, in: bytes) {
                if let name = String(validating: bytes[entry.name], as: UTF8.self).flatMap({ ExtendedAttributeName($0) }
                ) {
                    names.append(name)
                }
                position = entry.end
            }
            return names
        }
    }

    /// Returns a value as text. In the target of a link, invalid UTF-8 becomes U+FFFD, as in paths. Other invalid text
    /// is nil.
    package static func text(_ value: UnsafeRawBufferPointer, of attribute: Attribute) -> String? {
        attribute == .target ? String(decoding: value, as: UTF8.self) : String(validating: value, as: UTF8.self)
    }

    /// Reads a value as a number: decimal digits, with an optional sign and blanks around them.
    package static func integer(_ value: UnsafeRawBufferPointer) -> Int64? {
        guard let digits = trimmed(value[...]) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// Reads a value as tags: UTF-8 with commas between, as in freedesktop.org's guidelines and KDE's file metadata.
    /// Blanks around a tag are removed, and empty and repeated tags dropped. Complexity: O(bytes).
    package static func tags(_ value: UnsafeRawBufferPointer) -> [String] {
        var tags: [String] = []
        var named: Set<[UInt8]> = []
        forEachTag(in: value) { text in
            let tag = String(decoding: text, as: UTF8.self)
            if named.insert(Array(tag.utf8)).inserted { tags.append(tag) }
            return true
        }
        return tags
    }

    /// Lends the bytes of each tag of a value, repeated ones too, until the body returns false.
    package static func forEachTag<Failure: Error>(
        in value: UnsafeRawBufferPointer, _ goesOn: (UnsafeRawBufferPointer) throws(Failure) -> Bool
    ) throws(Failure) {
        var start = 0
        while start < value.count {
            let end = value[start...].firstIndex(of: UInt8(ascii: ",")) ?? value.count
            if let text = trimmed(value[start..<end]), try !goesOn(UnsafeRawBufferPointer(rebasing: text)) { return }
            start = end + 1
        }
    }

    /// Whether an attribute has a value in its type.
    package func has(_ attribute: Attribute) -> Bool {
        guard let name = attribute.extraName else { return false }
        return withValue(named: name) { value in
            guard let value else { return false }
            switch attribute.type {
            case .integer: return ExtraAttributes.integer(value) != nil
            case .strings:
                var has = false
                ExtraAttributes.forEachTag(in: value) { _ in
                    has = true
                    return false
                }
                return has
            default: return ExtraAttributes.text(value, of: attribute) != nil
            }
        }
    }

    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D || $0 == 0 }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return nil }
        return text[first...last]
    }
}

extension ExtraAttributes? {
    /// The attributes, or an empty record if they are unknown.
    package var orNone: ExtraAttributes { self ?? ExtraAttributes.none }
}

extension Attribute {
    /// The name of the extended attribute with the value, without `user.`. Empty for the target of a link. Nil for
    /// attributes that need no extra system call.
    package var extraName: [UInt8]? {
        switch self {
        case .tags: Attribute.tagsName
        case .comment: Attribute.commentName
        case .rating: Attribute.ratingName
        case .whereFrom: Attribute.whereFromName
        case .target: []
        case .extended(let name): Array(name.text.utf8)
        default: nil
        }
    }

    /// Whether reading the attribute needs extra system calls. A container has it only after the first query for it.
    package var isExtra: Bool {
        switch self {
        case .tags, .comment, .rating, .whereFrom, .target, .extended: true
        default: false
        }
    }

    private static let tagsName = Array("xdg.tags".utf8)
    private static let commentName = Array("xdg.comment".utf8)
    private static let ratingName = Array("baloo.rating".utf8)
    private static let whereFromName = Array("xdg.origin.url".utf8)
}
