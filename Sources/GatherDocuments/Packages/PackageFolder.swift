// A folder in a package.
// SPDX-License-Identifier: Apache-2.0

/// A folder in a package: entries by name. It is a value: a copy shares its storage until one of both is changed.
///
/// Conflict versions and the temporary files of programs that save or replicate are no entries. They stay on disk when the package
/// is saved.
public struct PackageFolder: Sendable {
    var entries: [[UInt8]: PackageEntry] = [:]

    /// Makes an empty folder.
    public init() {}

    /// The number of entries.
    public var count: Int { entries.count }
    /// Whether there are no entries.
    public var isEmpty: Bool { entries.isEmpty }
    /// The names, with U+FFFD for invalid UTF-8, in the order of their bytes.
    public var names: [String] { nameBytes.map { String(decoding: $0, as: UTF8.self) } }
    /// The names as bytes, in the order of their bytes.
    public var nameBytes: [[UInt8]] { entries.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    /// The entry of this name; nil if there is none. Setting nil removes the entry. A name that cannot be saved is refused by the
    /// save (``DocumentError/Code/invalidName``).
    public subscript(name: String) -> PackageEntry? {
        get { self[Array(name.utf8)] }
        set { self[Array(name.utf8)] = newValue }
    }

    /// The entry of this name, given as bytes.
    public subscript(name: [UInt8]) -> PackageEntry? {
        get { entries[name] }
        set { entries[name] = newValue }
    }
}
