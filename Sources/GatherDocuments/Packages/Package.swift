// A package: a folder that users see as one document.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit

/// A package: a folder that users see as one document, as a tree of files, folders and symbolic links.
///
/// It is a value. Files are read when their contents are asked for. A save writes the files that have changed, gives the others
/// another hard link, and puts the whole package in place in one step. Files that other programs added or changed meanwhile stay:
///
/// ```swift
/// var package = try Package.read("/srv/lists/Documents/Market.gro")
/// try package.set(Array("flour\n".utf8), at: "items/7E3A")
/// try package.save(to: "/srv/lists/Documents/Market.gro")
/// ```
///
/// An application that keeps a package open uses ``Document`` with ``PackageContents``. The entries should be independent of each
/// other, such as `items/UUID`, since programs that replicate folders merge packages file by file.
public struct Package: Sendable {
    /// The entries.
    public var root = PackageFolder()
    /// The paths of the conflict versions inside when the package was loaded. See ``FileVersion``.
    public internal(set) var conflictVersions: [FilePath] = []
    /// The package on disk that this one was loaded from, or saved to; nil for a new one.
    var origin: PackageBase?

    /// Makes an empty package.
    public init() {}

    // MARK: Entries by path

    /// The entry at a path such as `items/7E3A`; nil if there is none.
    public subscript(path: FilePath) -> PackageEntry? {
        guard let names = PackagePath.names(of: path.bytes) else { return nil }
        var entry = PackageEntry.folder(root)
        for name in names {
            guard let next = entry.folder?.entries[name] else { return nil }
            entry = next
        }
        return entry
    }

    /// Returns the contents of the file at a path. Blocks the thread.
    ///
    /// - Throws: ``DocumentError/Code/notFound`` if there is no file, and the errors of ``PackageFile/contents()``.
    public func contents(at path: FilePath) throws(DocumentError) -> [UInt8] {
        guard let file = self[path]?.file else {
            throw DocumentError(code: .notFound, message: "the package has no file '\(path)'", path: path.string)
        }
        return try file.contents()
    }

    /// The paths of all files, in the order of their bytes. Complexity: O(entries).
    public var filePaths: [FilePath] {
        var paths: [FilePath] = []
        func add(_ folder: PackageFolder, _ parent: [UInt8], _ depth: Int) {
            guard depth <= DocumentLimits.packageDepth else { return }
            for name in folder.nameBytes {
                let path = PackagePath.join(parent, name)
                switch folder.entries[name] {
                case .file: paths.append(FilePath(bytes: path))
                case .folder(let inner): add(inner, path, depth + 1)
                default: break
                }
            }
        }
        add(root, [], 0)
        return paths
    }

    /// Puts an entry at a path, in the place of one that is there. Missing folders above are made.
    ///
    /// - Throws: ``DocumentError/Code/invalidName`` for a name that cannot be saved, and ``DocumentError/Code/exists`` if an entry
    ///   above is no folder.
    public mutating func set(_ entry: PackageEntry, at path: FilePath) throws(DocumentError) {
        let names = try Package.names(path)
        try Package.set(entry, at: names[...], in: &root, path)
    }

    /// Puts a file with these contents at a path, in the place of an entry that is there.
    public mutating func set(_ contents: [UInt8], at path: FilePath) throws(DocumentError) {
        try set(.file(contents), at: path)
    }

    /// Removes the entry at a path. Returns it, or nil if there was none.
    @discardableResult
    public mutating func remove(_ path: FilePath) throws(DocumentError) -> PackageEntry? {
        let names = try Package.names(path)
        guard let entry = self[path] else { return nil }
        try Package.set(nil, at: names[...], in: &root, path)
        return entry
    }

    /// Moves an entry to a free path. A moved file is not written anew.
    ///
    /// - Throws: ``DocumentError/Code/notFound``, and ``DocumentError/Code/exists`` if the new path is taken.
    public mutating func move(_ path: FilePath, to new: FilePath) throws(DocumentError) {
        guard self[new] == nil else {
            throw DocumentError(code: .exists, message: "the package has an entry '\(new)' already", path: new.string)
        }
        guard new == path || !new.starts(with: path) else {
            throw DocumentError(code: .invalidName, message: "cannot move '\(path)' into itself", path: new.string)
        }
        var moved = self
        guard let entry = try moved.remove(path) else {
            throw DocumentError(code: .notFound, message: "the package has no entry '\(path)'", path: path.string)
        }
        try moved.set(entry, at: new)
        self = moved
    }

    private static func names(_ path: FilePath) throws(DocumentError) -> [[UInt8]] {
        guard let names = PackagePath.names(of: path.bytes), !names.isEmpty, names.count <= DocumentLimits.packageDepth
        else {
            throw DocumentError(
                code: .invalidName, message: "'\(path)' cannot be a path in a package", path: path.string)
        }
        return names
    }

    private static func set(
        _ entry: PackageEntry?, at names: ArraySlice<[UInt8]>, in folder: inout PackageFolder, _ path: FilePath
    ) throws(DocumentError) {
        guard let name = names.first else { return }
        guard names.count > 1 else {
            folder.entries[name] = entry
            return
        }
        // The entry is taken out, so that the folder is changed in place.
        let former = folder.entries.removeValue(forKey: name)
        var inner: PackageFolder
        switch former {
        case nil: inner = PackageFolder()
        case .folder(let folder): inner = folder
        case .file, .symbolicLink:
            folder.entries[name] = former
            throw DocumentError(
                code: .exists, message: "cannot make '\(path)' in the package: an entry above it is no folder",
                path: path.string)
        }
        do throws(DocumentError) { try set(entry, at: names.dropFirst(), in: &inner, path) } catch {
            folder.entries[name] = former
            throw error
        }
        folder.entries[name] = .folder(inner)
    }
}
