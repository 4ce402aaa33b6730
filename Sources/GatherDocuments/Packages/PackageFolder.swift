// A folder in a package.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit

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
    /// The names, in the order of their bytes.
    public var names: [FilePath.Component] { nameBytes.compactMap { FilePath.Component(bytes: $0) } }
    var nameBytes: [[UInt8]] { entries.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    /// The entry of this name; nil if there is none. Setting nil removes the entry. A name that cannot be saved is refused by the
    /// save (``DocumentError/Code/invalidName``).
    public subscript(name: FilePath.Component) -> PackageEntry? {
        get { entries[name.bytes] }
        set { entries[name.bytes] = newValue }
    }
}
