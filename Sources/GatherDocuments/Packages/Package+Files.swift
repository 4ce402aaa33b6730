// Reading and saving packages.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import LinuxSystem
internal import SaveFiles

extension Package {
    /// Reads the entries of a package. The contents of files are read later. A save that a killed process left half done is
    /// completed first. Blocks the thread.
    ///
    /// - Throws: ``DocumentError/Code/notFound``, ``DocumentError/Code/notADocument`` for a file or a symbolic link, and
    ///   ``DocumentError/Code/tooManyEntries``, ``DocumentError/Code/tooDeep`` and ``DocumentError/Code/specialFile`` for trees that
    ///   no package has.
    public static func read(_ path: FilePath) throws(DocumentError) -> Package {
        let path = try DocumentPath(path)
        try path.requireDocument()
        var folder = try Folder(path.folder)
        if try PackageSaver.hasRemains(of: path.name, in: folder) {
            try folder.lock(timeout: DocumentLimits.lockTimeout)
            let saver = PackageSaver(folder, name: path.name, device: try DeviceIdentifier.current())
            try saver.recover()
            folder = saver.end()
            folder.unlock()
        }
        guard let loaded = try load(path.name, in: folder) else {
            throw DocumentError(
                code: .notFound, message: "cannot read \(path.text): there is no such package", path: path.text)
        }
        return loaded
    }

    /// Saves the package, and makes it if it is missing. Files that other programs added or changed since it was loaded stay. If
    /// both sides changed a file, the other contents become a conflict version inside the package. Blocks the thread.
    ///
    /// - Parameters:
    ///   - path: The path of the package.
    ///   - mustBeNew: Whether an entry that is there is an error.
    ///   - options: The settings; those for saving count.
    /// - Returns: The paths of the conflict versions that were made.
    @discardableResult
    public mutating func save(
        to path: FilePath, mustBeNew: Bool = false, options: DocumentOptions = DocumentOptions()
    ) throws(DocumentError) -> [FilePath] {
        let path = try DocumentPath(path)
        try path.requireDocument()
        let folder = try Folder(path.folder)
        try folder.lock(timeout: options.lockTimeout)
        if mustBeNew, options.checksCase { try folder.requireDistinctCase(path.name) }
        // The lock ends with the descriptor of the folder, on every way out.
        let saver = PackageSaver(
            folder, name: path.name, device: try options.author(), lockTimeout: options.lockTimeout)
        let outcome = try saver.save(
            self, over: origin, mustBeNew: mustBeNew, isShared: options.sharesAccessOfFolder)
        origin = outcome.base
        return outcome.kept.map { FilePath(bytes: DocumentPath.join(path.folder, $0)) }
    }

    /// Reads a package in an open folder; nil if there is none.
    static func load(_ name: [UInt8], in folder: borrowing Folder) throws(DocumentError) -> Package? {
        for _ in 0..<DocumentLimits.readings {
            guard let status = try folder.status(of: name) else { return nil }
            try PackageSaver.requirePackage(status, name, in: folder)
            do throws(DocumentError) {
                let root = try Folder(name, in: folder)
                let tree = try PackageTree(scanning: root)
                // Another program may have exchanged the package, and removes this one now.
                guard let now = try folder.status(of: name), now.inode == tree.root.inode,
                    now.device == tree.root.device
                else { continue }
                return Package(tree, PackageSource(path: DocumentPath.join(folder.path, name), root: root))
            } catch {
                if error.code != .notFound { throw error }
            }
        }
        throw DocumentError(
            code: .busy, message: "cannot read \(folder.text(name)): another program replaces it all the time",
            path: folder.text(name))
    }

    private init(_ tree: PackageTree, _ source: PackageSource) {
        var base = PackageBase(root: tree.root)
        var folders: [[UInt8]: PackageFolder] = [:]
        conflictVersions = tree.conflictVersions.map { FilePath(bytes: $0) }
        // The entries of a folder come before the folder.
        let paths = tree.entries.keys.sorted { $1.lexicographicallyPrecedes($0) }
        for path in paths {
            guard let entry = tree.entries[path] else { continue }
            guard entry.role == .content else { continue }
            let (parent, name) = PackagePath.split(path)
            switch entry.kind {
            case .file(let stamp, _):
                let node = PackageNode(in: source, at: path, stamp)
                base.set(path, PackageBase.Entry(node: node, kind: entry.kind))
                folders[parent, default: PackageFolder()].entries[name] = .file(PackageFile(node))
            case .folder:
                base.set(path, PackageBase.Entry(node: nil, kind: .folder))
                let inner = folders.removeValue(forKey: path) ?? PackageFolder()
                folders[parent, default: PackageFolder()].entries[name] = .folder(inner)
            case .link(let target):
                base.set(path, PackageBase.Entry(node: nil, kind: entry.kind))
                folders[parent, default: PackageFolder()].entries[name] = .symbolicLink(target: target)
            }
        }
        root = folders[[]] ?? PackageFolder()
        origin = base
    }
}
