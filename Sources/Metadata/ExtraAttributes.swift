// What takes system calls of its own to know of an entry: extended attributes, or where a symbolic link leads.
// SPDX-License-Identifier: Apache-2.0

/// The extended attributes of a file or a directory that are in the namespace `user`, or where a symbolic link leads, which
/// can have none (`xattr(7)`).
///
/// One run of bytes, so that what many entries have is kept once: for each attribute, in the order of their names, the
/// length of the name (one byte) and of the value (two, little-endian), the name without `user.`, and the value. Where a
/// link leads stands under the empty name, which no attribute has.
package struct ExtraAttributes: Sendable, Hashable {
    /// The most bytes that are kept of one entry: the 4 KiB that ext4 has for them, and what finds room in its inodes. An
    /// attribute that no longer fits is as good as missing; those that have names of their own come first.
    package static let byteLimit = 4_352

    /// No attributes.
    package static let none = ExtraAttributes(unchecked: [])

    static let headSize = 3

    /// The bytes, empty where there are no attributes.
    package let bytes: [UInt8]

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Bytes from elsewhere; nil where they cannot be such. Complexity: O(bytes).
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

    /// Attributes by their names without `user.`, of which none is there twice.
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

    /// What a symbolic link has that leads there.
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

    /// Whether there are none.
    package var isEmpty: Bool { bytes.isEmpty }

    /// Whether it is where a link leads: for that nobody needs a right on the link itself (`symlink(7)`).
    package var isTarget: Bool { bytes.first == 0 }

    /// Where one attribute stands.
    private struct Entry {
        let name: Range<Int>
        let end: Int

        /// The one that begins there; nil where the bytes end before it does.
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

    /// Lends the value under a name (``Attribute/extraName``), nil where there is none. Complexity: O(attributes).
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

    /// The value of an attribute that stands here, in its type.
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

    /// The tags, none where there are none.
    package var tags: [String] {
        Attribute.tags.extraName.map { withValue(named: $0) { $0.map(ExtraAttributes.tags) ?? [] } } ?? []
    }

    /// The names of the attributes, without `user.`, where they are text; in their order.
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

    /// A value as text. Where a link leads is told as paths are, with U+FFFD for what is not UTF-8; anything else is no
    /// text then.
    package static func text(_ value: UnsafeRawBufferPointer, of attribute: Attribute) -> String? {
        attribute == .target ? String(decoding: value, as: UTF8.self) : String(validating: value, as: UTF8.self)
    }

    /// A value as a number: decimal digits, behind a sign perhaps, with blanks around them.
    package static func integer(_ value: UnsafeRawBufferPointer) -> Int64? {
        guard let digits = trimmed(value[...]) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// A value as tags: UTF-8 with commas between them, as the freedesktop.org guidelines for extended attributes and KDE's
    /// file metadata have it. Blanks around each are trimmed, empty ones left out, and each is named once. Complexity: O(bytes).
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

    /// Lends the bytes of one tag of a value after the other, until it is told that this is enough; those of one that stands
    /// there twice, twice.
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

    /// Whether an attribute that stands here has a value, in its type.
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
    /// The same to whoever asks: those that are not known are as good as none.
    package var orNone: ExtraAttributes { self ?? ExtraAttributes.none }
}

extension Attribute {
    /// The name, without `user.`, of the extended attribute that it is read from; empty for where a link leads, and nil for
    /// what is known without.
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

    /// Whether knowing it takes system calls of its own, so that a container has it only once it was asked for.
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
