// The shared MIME-info database: the type of a file by its name, and the inheritance of types.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Synchronization

/// The shared MIME-info database of freedesktop.org, read from the files that `update-mime-database` writes: `globs2`,
/// `subclasses` and `aliases`. Files are typed by name; contents are not read. Immutable, so all threads share it.
package final class ContentTypeDatabase: Sendable {
    /// The files of one directory `mime`, as bytes; a missing file is empty. A malformed line is left out.
    package struct Source: Sendable {
        package var globs: [UInt8]
        package var subclasses: [UInt8]
        package var aliases: [UInt8]

        package init(globs: [UInt8], subclasses: [UInt8], aliases: [UInt8]) {
            self.globs = globs
            self.subclasses = subclasses
            self.aliases = aliases
        }
    }

    /// The place of a type in ``ContentTypeDatabase/types``.
    package struct TypeNumber: RawRepresentable, Sendable, Hashable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
    }

    /// The MIME types by number: first those with globs, then those of entries that are no regular files.
    package let types: [String]
    private let globs: GlobTable
    private let inheritance: TypeInheritance
    /// The ancestors of types that were asked about. A predicate over objects may name any type, so the size is
    /// bounded.
    private let known = Mutex<[String: [String]]>([:])
    private static let remembered = 4_096
    /// A hash of the database's files, equal on every machine and in every run. It tells whether two answers come from
    /// the same database.
    package let fingerprint: UInt64

    /// A database without globs; inheritance follows the built-in rules only.
    package convenience init() { self.init([]) }

    /// Reads sources in the order of `XDG_DATA_DIRS`. An earlier source overrides a later one with `__NOGLOBS__`.
    package init(_ sources: [Source]) {
        var builder = GlobTable.Builder()
        // The last source is the base, whose globs the earlier ones may remove.
        for source in sources.reversed() { builder.add(source.globs) }
        (globs, types) = builder.finish(adding: EntryType.allCases.map(\.rawValue))
        inheritance = TypeInheritance(sources.map { ($0.subclasses, $0.aliases) })
        var hash = FNV1a()
        for source in sources {
            for file in [source.globs, source.subclasses, source.aliases] {
                // Each file's length comes first, so that a byte cannot move from one file to the next unnoticed.
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    hash.combine(UInt8(truncatingIfNeeded: UInt64(file.count) >> shift))
                }
                hash.combine(file)
            }
        }
        fingerprint = hash.value
    }

    /// Whether no name has a type, as without the package `shared-mime-info`.
    package var isEmpty: Bool { globs.isEmpty }

    /// The type of a regular file with this name; nil where no glob matches. Complexity: O(length of the name) and the
    /// few patterns that are no plain suffixes.
    package func type(ofName name: UnsafeRawBufferPointer) -> TypeNumber? { globs.type(of: name) }

    /// The type of an entry that is no regular file.
    package func type(of entry: EntryType) -> TypeNumber {
        TypeNumber(rawValue: UInt16(truncatingIfNeeded: types.count - EntryType.allCases.count + entry.number))
    }

    /// The MIME type with this number.
    package func text(of type: TypeNumber) -> String { types[Int(type.rawValue)] }

    // MARK: Inheritance

    /// Whether a type is another one or a kind of it. Either may be a MIME type, an alias of one or a uniform type
    /// identifier; the right one also a family (`image/*`). Case is ignored.
    package func type(_ type: String, conformsTo other: String) -> Bool {
        inheritance.conforms(ancestors(type), to: other)
    }

    /// Whether both are names of the same type.
    package func type(_ type: String, equals other: String) -> Bool { inheritance.type(type, equals: other) }

    /// A MIME type and every type that it is a kind of, nearest first.
    package func tree(of type: String) -> [String] {
        ancestors(type).filter { $0.utf8.contains(UInt8(ascii: "/")) }
    }

    /// Returns the ancestors of a type from the cache. A plan asks for those of every type, and each query makes its
    /// plans anew.
    private func ancestors(_ type: String) -> [String] {
        if let found = known.withLock({ $0[type] }) { return found }
        let found = inheritance.ancestors(type)
        known.withLock { known in
            if known.count < ContentTypeDatabase.remembered { known[type] = found }
        }
        return found
    }
}
