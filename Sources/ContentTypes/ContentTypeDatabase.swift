// The shared MIME-info database as Gather uses it: the type of a file by its name, and which type is a kind of which.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The types of files by their names, and how types inherit, from the files that `update-mime-database` writes
/// (`globs2`, `subclasses` and `aliases`; the Shared MIME-info Database specification of freedesktop.org). Contents are not
/// looked at. Immutable, to be shared by all threads.
package final class ContentTypeDatabase: Sendable {
    /// The files of one directory `mime`, as bytes; what is missing is empty. A line that is malformed is left out.
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

    /// A type that the database has names for: its place in the list of them.
    package struct TypeNumber: RawRepresentable, Sendable, Hashable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
    }

    /// The media types, by number: those that globs name, then those of entries that are no regular files.
    package let types: [String]
    private let globs: GlobTable
    private let inheritance: TypeInheritance
    /// What types that were asked about are kinds of. Objects may name any, so it is bounded.
    private let known = Mutex<[String: [String]]>([:])
    private static let remembered = 4_096
    /// The same for the same files, on every machine and in every run: what tells whether an answer that depends on the
    /// database was given by the same one.
    package let fingerprint: UInt64

    /// A database that knows no name, and of inheritance only what holds without one.
    package convenience init() { self.init([]) }

    /// The sources in the order of `XDG_DATA_DIRS`, the first being the one that decides where one says `__NOGLOBS__`.
    package init(_ sources: [Source]) {
        var builder = GlobTable.Builder()
        // The last source is the base, which those before it may take globs from.
        for source in sources.reversed() { builder.add(source.globs) }
        (globs, types) = builder.finish(adding: EntryType.allCases.map(\.rawValue))
        inheritance = TypeInheritance(sources.map { ($0.subclasses, $0.aliases) })
        var hash = FNV1a()
        for source in sources {
            for file in [source.globs, source.subclasses, source.aliases] {
                // With each file's length before it, so that a byte cannot change sides.
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    hash.combine(UInt8(truncatingIfNeeded: UInt64(file.count) >> shift))
                }
                for byte in file { hash.combine(byte) }
            }
        }
        fingerprint = hash.value
    }

    /// Whether no name has a type, as on a machine without the package `shared-mime-info`.
    package var isEmpty: Bool { globs.isEmpty }

    /// The type of a regular file with this name, or nil where no glob matches. Complexity: O(length of the name), and a
    /// few patterns that are not plain suffixes.
    package func type(ofName name: UnsafeRawBufferPointer) -> TypeNumber? { globs.type(of: name) }

    /// The type of an entry that is no regular file.
    package func type(of entry: EntryType) -> TypeNumber {
        TypeNumber(rawValue: UInt16(truncatingIfNeeded: types.count - EntryType.allCases.count + entry.number))
    }

    /// The media type with a number of this database.
    package func text(of type: TypeNumber) -> String { types[Int(type.rawValue)] }

    // MARK: Inheritance

    /// Whether a type is another one or a kind of it. Either may be a media type, an alias of one, a uniform type
    /// identifier (`public.jpeg`) or, on the right side, a family (`image/*`). Letters' case does not count.
    package func type(_ type: String, conformsTo other: String) -> Bool {
        inheritance.conforms(ancestors(type), to: other)
    }

    /// Whether both name the same type.
    package func type(_ type: String, equals other: String) -> Bool { inheritance.type(type, equals: other) }

    /// A media type and all that it is a kind of, nearest first.
    package func tree(of type: String) -> [String] {
        ancestors(type).filter { $0.utf8.contains(UInt8(ascii: "/")) }
    }

    /// A plan asks about every type that there is, and each question makes its plans anew.
    private func ancestors(_ type: String) -> [String] {
        if let found = known.withLock({ $0[type] }) { return found }
        let found = inheritance.ancestors(type)
        known.withLock { known in
            if known.count < ContentTypeDatabase.remembered { known[type] = found }
        }
        return found
    }
}
