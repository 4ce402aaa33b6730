// A package: a folder that users see as one document.
// SPDX-License-Identifier: Apache-2.0

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
    /// The paths of the conflict versions inside when the package was loaded, as bytes. See ``FileVersion``.
    public internal(set) var conflictVersions: [[UInt8]] = []
    /// The package on disk that this one was loaded from, or saved to; nil for a new one.
    var origin: PackageBase?

    /// Makes an empty package.
    public init() {}

    // MARK: Entries by path

    /// The entry at a path such as `items/7E3A`; nil if there is none.
    public subscript(path: String) -> PackageEntry? { self[Array(path.utf8)] }

    /// The entry at a path, given as bytes.
    public subscript(path: [UInt8]) -> PackageEntry? {
        guard let names = PackagePath.names(of: path) else { return nil }
        var entry = PackageEntry.folder(root)
        for name in names {
            guard let next = entry.folder?[name] else { return nil }
            entry = next
        }
        return entry
    }

    /// Returns the contents of the file at a path. Blocks the thread.
    ///
    /// - Throws: ``DocumentError/Code/notFound`` if there is no file, and the errors of ``PackageFile/contents()``.
    public func contents(at path: String) throws(DocumentError) -> [UInt8] {
        guard let file = self[path]?.file else {
            throw DocumentError(code: .notFound, message: "the package has no file '\(path)'", path: path)
        }
        return try file.contents()
    }

    /// The paths of all files, in the order of their bytes, with U+FFFD for invalid UTF-8. Complexity: O(entries).
    public var filePaths: [String] {
        var paths: [String] = []
        func add(_ folder: PackageFolder, _ prefix: String, _ depth: Int) {
            guard depth <= DocumentLimits.packageDepth else { return }
            for name in folder.nameBytes {
                let path = prefix + String(decoding: name, as: UTF8.self)
                switch folder[name] {
                case .file: paths.append(path)
                case .folder(let inner): add(inner, path + "/", depth + 1)
                default: break
                }
            }
        }
        add(root, "", 0)
        return paths
    }

    /// Puts an entry at a path, in the place of one that is there. Missing folders above are made.
    ///
    /// - Throws: ``DocumentError/Code/invalidName`` for a name that cannot be saved, and ``DocumentError/Code/exists`` if an entry
    ///   above is no folder.
    public mutating func set(_ entry: PackageEntry, at path: String) throws(DocumentError) {
        try set(entry, at: Array(path.utf8))
    }

    /// Puts a file with these contents at a path, in the place of an entry that is there.
    public mutating func set(_ contents: [UInt8], at path: String) throws(DocumentError) {
        try set(.file(contents), at: Array(path.utf8))
    }

    /// Puts an entry at a path, given as bytes.
    public mutating func set(_ entry: PackageEntry, at path: [UInt8]) throws(DocumentError) {
        let names = try Package.names(path)
        try Package.set(entry, at: names[...], in: &root, path)
    }

    /// Removes the entry at a path. Returns it, or nil if there was none.
    @discardableResult
    public mutating func remove(_ path: String) throws(DocumentError) -> PackageEntry? {
        let bytes = Array(path.utf8)
        let names = try Package.names(bytes)
        guard let entry = self[bytes] else { return nil }
        try Package.set(nil, at: names[...], in: &root, bytes)
        return entry
    }

    /// Moves an entry to a free path. A moved file is not written anew.
    ///
    /// - Throws: ``DocumentError/Code/notFound``, and ``DocumentError/Code/exists`` if the new path is taken.
    public mutating func move(_ path: String, to new: String) throws(DocumentError) {
        guard self[new] == nil else {
            throw DocumentError(code: .exists, message: "the package has an entry '\(new)' already", path: new)
        }
        guard !new.utf8.starts(with: (path + "/").utf8) else {
            throw DocumentError(code: .invalidName, message: "cannot move '\(path)' into itself", path: new)
        }
        var moved = self
        guard let entry = try moved.remove(path) else {
            throw DocumentError(code: .notFound, message: "the package has no entry '\(path)'", path: path)
        }
        try moved.set(entry, at: new)
        self = moved
    }

    private static func names(_ path: [UInt8]) throws(DocumentError) -> [[UInt8]] {
        guard let names = PackagePath.names(of: path), !names.isEmpty, names.count <= DocumentLimits.packageDepth else {
            let text = String(decoding: path, as: UTF8.self)
            throw DocumentError(code: .invalidName, message: "'\(text)' cannot be a path in a package", path: text)
        }
        return names
    }

    private static func set(
        _ entry: PackageEntry?, at names: ArraySlice<[UInt8]>, in folder: inout PackageFolder, _ path: [UInt8]
    ) throws(DocumentError) {
        guard let name = names.first else { return }
        guard names.count > 1 else {
            folder[name] = entry
            return
        }
        // The entry is taken out, so that the folder is changed in place.
        let former = folder.entries.removeValue(forKey: name)
        var inner: PackageFolder
        switch former {
        case nil: inner = PackageFolder()
        case .folder(let folder): inner = folder
        case .file, .symbolicLink:
            folder[name] = former
            let text = String(decoding: path, as: UTF8.self)
            throw DocumentError(
                code: .exists, message: "cannot make '\(text)' in the package: an entry above it is no folder",
                path: text)
        }
        do throws(DocumentError) { try set(entry, at: names.dropFirst(), in: &inner, path) } catch {
            folder[name] = former
            throw error
        }
        folder[name] = .folder(inner)
    }
}
