// Which type is a kind of which.
// SPDX-License-Identifier: Apache-2.0

/// Which type is a kind of which: by the database's `subclasses`, by what the specification says of all types, and by the
/// uniform type identifiers that mean the same. A name's letters' case does not count.
struct TypeInheritance: Sendable {
    private var parents: [String: [String]] = [:]
    private var canonical: [String: String] = [:]

    /// `sources` are pairs of the files `subclasses` and `aliases`, the one that decides first.
    init(_ sources: [(subclasses: [UInt8], aliases: [UInt8])]) {
        for (subclasses, aliases) in sources {
            for (type, parent) in TypeInheritance.pairs(subclasses) where parents[type]?.contains(parent) != true {
                parents[type, default: []].append(parent)
            }
            for (alias, type) in TypeInheritance.pairs(aliases) where canonical[alias] == nil {
                canonical[alias] = type
            }
        }
    }

    private static func pairs(_ bytes: [UInt8]) -> [(String, String)] {
        meaningfulLines(of: bytes).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count == 2 else { return nil }
            return (String(Substring(words[0])).lowercased(), String(Substring(words[1])).lowercased())
        }
    }

    /// The name that stands for a type: not an alias, and the media type rather than the identifier that means it.
    private func name(_ type: String) -> String {
        let type = type.lowercased()
        let mediaType = UniformType.named[type]?.mediaType ?? type
        return canonical[mediaType] ?? mediaType
    }

    /// What a type is a kind of, one step up.
    private func parents(of type: String) -> [String] {
        var found = parents[type].map { $0.map(name) } ?? []
        guard let slash = type.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            return UniformType.named[type].map { $0.parents.map(name) } ?? found
        }
        let family = type[..<slash]
        if family == "text", type != "text/plain" { found.append("text/plain") }
        // Every type is a stream of bytes but those of entries that are no files.
        if family != "inode", type != "application/octet-stream" { found.append("application/octet-stream") }
        return found + (UniformType.families[String(family)].map { [$0] } ?? [])
            + (UniformType.meaning[type]?.flatMap(\.parents).map(name) ?? [])
    }

    /// A type and all that it is a kind of, nearest first.
    func ancestors(_ type: String) -> [String] {
        var found = [name(type)]
        var next = 0
        while next < found.count {
            for parent in parents(of: found[next]) where !found.contains(parent) { found.append(parent) }
            next += 1
        }
        return found
    }

    func type(_ type: String, equals other: String) -> Bool { name(type) == name(other) }

    /// Whether a type, of which `all` are the ancestors, is another one or a kind of it.
    func conforms(_ all: [String], to other: String) -> Bool {
        let other = name(other)
        if other.utf8.count > 2, other.hasSuffix("/*") { return all.contains { $0.hasPrefix(other.dropLast()) } }
        return all.contains(other)
    }
}
