// The inheritance of MIME types and uniform type identifiers.
// SPDX-License-Identifier: Apache-2.0

/// The inheritance of types, from the database's `subclasses`, the specification's rules for all types, and uniform
/// type identifiers with the same meaning. Case is ignored.
struct TypeInheritance: Sendable {
    private var parents: [String: [String]] = [:]
    private var canonical: [String: String] = [:]
    /// The identifiers that a MIME type conforms to, by its canonical name: the parents of the identifiers that mean
    /// the same.
    private var identifiers: [String: [String]] = [:]

    /// `sources` are pairs of the files `subclasses` and `aliases`; an earlier pair overrides a later one.
    init(_ sources: [(subclasses: [UInt8], aliases: [UInt8])]) {
        for (subclasses, aliases) in sources {
            for (type, parent) in TypeInheritance.pairs(subclasses) where parents[type]?.contains(parent) != true {
                parents[type, default: []].append(parent)
            }
            for (alias, type) in TypeInheritance.pairs(aliases) where canonical[alias] == nil {
                canonical[alias] = type
            }
        }
        for (_, type) in UniformType.named {
            guard let mediaType = type.mediaType.map(name) else { continue }
            for parent in type.parents.map(name) where parent != mediaType {
                if identifiers[mediaType]?.contains(parent) != true {
                    identifiers[mediaType, default: []].append(parent)
                }
            }
        }
        for (type, parent) in UniformType.otherKinds { identifiers[name(type), default: []].append(parent) }
        for type in identifiers.keys { identifiers[type]?.sort() }
    }

    private static func pairs(_ bytes: [UInt8]) -> [(String, String)] {
        meaningfulLines(of: bytes).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count == 2 else { return nil }
            return (String(Substring(words[0])).lowercased(), String(Substring(words[1])).lowercased())
        }
    }

    /// The canonical name of a type: the MIME type that an alias or identifier stands for.
    private func name(_ type: String) -> String {
        let type = type.lowercased()
        let mediaType = UniformType.named[type]?.mediaType ?? type
        return canonical[mediaType] ?? mediaType
    }

    /// The direct parents of a type.
    private func parents(of type: String) -> [String] {
        var found = parents[type].map { $0.map(name) } ?? []
        guard let slash = type.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            return UniformType.named[type].map { $0.parents.map(name) } ?? found
        }
        let family = type[..<slash]
        if family == "text", type != "text/plain" { found.append("text/plain") }
        // Every type is a stream of bytes, except those of entries that are no files.
        if family != "inode", type != "application/octet-stream" { found.append("application/octet-stream") }
        return found + (UniformType.families[String(family)].map { [$0] } ?? [])
            + (identifiers[type] ?? [])
    }

    /// A type and all its ancestors, nearest first.
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

    /// Whether a type with the ancestors `all` is another one or a kind of it.
    func conforms(_ all: [String], to other: String) -> Bool {
        let other = name(other)
        if other.utf8.count > 2, other.hasSuffix("/*") { return all.contains { $0.hasPrefix(other.dropLast()) } }
        return all.contains(other)
    }
}
