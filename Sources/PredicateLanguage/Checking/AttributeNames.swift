// Attributes by key, and suggestions for unknown keys.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// Finds attributes by key, and suggests one for an unknown key.
package enum AttributeNames {
    /// The names that other programs give our attributes.
    private static let elsewhere: [String: Attribute] = [
        "filename": .name, "file": .name, "basename": .name, "title": .name, "extension": .fileExtension,
        "ext": .fileExtension, "suffix": .fileExtension, "type": .kind, "filetype": .kind, "bytes": .size,
        "length": .size, "filesize": .size, "mtime": .modified, "date": .modified, "modificationdate": .modified,
        "ctime": .changed, "btime": .created, "birth": .created, "creationdate": .created, "user": .owner,
        "uid": .ownerID, "gid": .groupID, "permissions": .mode, "nlink": .links, "dev": .device, "ino": .inode,
        "mime": .contentType, "mimetype": .contentType, "mediatype": .contentType, "uti": .contentType, "tag": .tags,
        "label": .tags, "labels": .tags, "directory": .path, "folder": .path, "invisible": .hidden,
        "identifier": .id,
    ]

    /// Returns the attribute with a name, an alias or an extended attribute's `xattr.NAME`, outside of a predicate.
    ///
    /// - Throws: ``PredicateError`` for an unknown name, with the one that was probably meant.
    package static func attribute(named name: String) throws(PredicateError) -> Attribute {
        try attribute(name, at: 0)
    }

    static func attribute(_ key: String, at position: Int) throws(PredicateError) -> Attribute {
        if let attribute = Attribute(name: key) { return attribute }
        if key == extendedKey {
            throw PredicateError(
                "name the extended attribute: xattr.mime_type for user.mime_type, or xattr['NAME']", at: position)
        }
        let names = Attribute.fixed.map(\.name)
        if let meant = elsewhere[key.lowercased()] {
            throw PredicateError("unknown attribute '\(key)'; did you mean '\(meant.name)'?", at: position)
        }
        // Aliases are long. They are suggested for long words only, so that a short slip finds its short name.
        let known = key.utf8.count < 10 ? names : names + Attribute.fixed.flatMap(\.aliases)
        throw PredicateError(
            "unknown attribute '\(key)'\(Spelling.suggestion(for: key, among: known))", at: position)
    }

    /// The key before the name of an extended attribute.
    static let extendedKey = "xattr"

    /// The extended attribute that `xattr.NAME` or `xattr['NAME']` stands for; nil for other expressions. The name is
    /// everything after the first dot, with further dots.
    static func extended(_ expression: Expression) throws(PredicateError) -> Attribute? {
        var text: String
        switch expression.kind {
        case .index(let base, let index):
            guard case .key(extendedKey) = base.kind, case .string(let name)? = index.constant else { return nil }
            text = name
        case .member:
            var parts: [String] = []
            var at = expression
            while case .member(let base, let name) = at.kind {
                parts.append(name)
                at = base
            }
            guard case .key(extendedKey) = at.kind else { return nil }
            text = parts.reversed().joined(separator: ".")
        default: return nil
        }
        guard let name = ExtendedAttributeName(text) else {
            throw PredicateError(
                "the name of an extended attribute has 1 to \(ExtendedAttributeName.maximumByteCount) bytes",
                at: expression.position.offset)
        }
        return .extended(name)
    }

    /// All values that an attribute can have, where those are few.
    static func values(of attribute: Attribute) -> [String]? {
        switch attribute {
        case .kind: FileKind.allCases.map { $0.name.description }
        case .scope: ["documents", "data"]
        default: nil
        }
    }

    /// The names that other programs give our kinds.
    static let kindsElsewhere = [
        "folder": "directory", "dir": "directory", "d": "directory", "f": "file", "regular": "file", "link": "symlink",
        "symboliclink": "symlink", "l": "symlink", "pipe": "fifo", "bundle": "package", "device": "characterDevice",
    ]
}
