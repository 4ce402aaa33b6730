// The package that a save makes of the application's one and the one on disk.
// SPDX-License-Identifier: Apache-2.0

internal import SaveFiles

/// Makes the new package of three: the one that was loaded, the application's, and the one on disk. For each path, a change of one
/// side counts. An edit counts more than a removal. If both sides changed an entry, the application's gets the path, and the other
/// one the name of a conflict version.
struct PackageMerge {
    /// An entry of the new package.
    enum Placement {
        /// A folder. It gets the access of the one on disk at `like`; without one, that of its own folder.
        case folder(like: [UInt8]?)
        /// A hard link to the file on disk at this path.
        case existing([UInt8])
        /// A new file. It gets the access of the one on disk at `like`.
        case new(PackageNode, like: [UInt8]?)
        case link(target: [UInt8])

        var isFolder: Bool { if case .folder = self { true } else { false } }
    }

    /// An entry of the application's package.
    private enum Mine {
        case file(PackageNode)
        case folder
        case link(target: [UInt8])
    }

    private var mine: [[UInt8]: Mine] = [:]
    private let loaded: PackageBase?
    private let disk: PackageTree
    private let device: DeviceIdentifier
    /// Reads a file on disk.
    private let read: ([UInt8]) throws(DocumentError) -> [UInt8]?

    /// The new package by paths.
    private(set) var placements: [[UInt8]: Placement] = [:]
    /// The new package as the application knows it. Files that it writes have no stamp yet.
    private(set) var base: PackageBase
    /// The paths of the conflict versions that were made.
    private(set) var kept: [[UInt8]] = []
    /// Whether the new package has entries that the application's has not, or lacks some of its.
    private(set) var isMerged = false
    /// The names of conflict versions that folders got, so that others have place.
    private var movedFolders: [[UInt8]: [UInt8]] = [:]

    /// Plans the new package.
    ///
    /// - Throws: ``DocumentError/Code/invalidName``, ``DocumentError/Code/tooManyEntries`` and ``DocumentError/Code/tooDeep`` for a
    ///   package that cannot be saved.
    init(
        _ package: PackageFolder, over loaded: PackageBase?, disk: PackageTree, device: DeviceIdentifier, path: String,
        read: @escaping ([UInt8]) throws(DocumentError) -> [UInt8]?
    ) throws(DocumentError) {
        (self.loaded, self.disk, self.device, self.read) = (loaded, disk, device, read)
        base = PackageBase(root: disk.root)
        try flatten(package, at: [], depth: 0, path)
        let paths = Set(mine.keys).union(disk.entries.keys).sorted { $0.lexicographicallyPrecedes($1) }
        // A folder comes before its entries.
        for path in paths { try decide(path) }
    }

    private mutating func flatten(
        _ folder: PackageFolder, at path: [UInt8], depth: Int, _ package: String
    ) throws(DocumentError) {
        func refused(_ code: DocumentError.Code, _ place: [UInt8], _ reason: String) -> DocumentError {
            let text = String(decoding: place, as: UTF8.self)
            return DocumentError(
                code: code, message: "cannot save '\(text)' in the package \(package): \(reason)", path: package)
        }
        guard depth <= DocumentLimits.packageDepth else {
            throw refused(.tooDeep, path, "more than \(DocumentLimits.packageDepth) folders are in one another")
        }
        for (name, entry) in folder.entries {
            let place = PackagePath.join(path, name)
            if let problem = PackagePath.problem(with: name) { throw refused(.invalidName, place, problem) }
            guard mine.count < DocumentLimits.packageEntries else {
                throw refused(.tooManyEntries, path, "\(DocumentLimits.packageEntries) entries are the most")
            }
            switch entry {
            case .file(let file):
                guard file.size <= DocumentLimits.contentBytes else {
                    throw refused(.tooLarge, place, "\(DocumentLimits.contentBytes) bytes are the most")
                }
                mine[place] = .file(file.node)
            case .folder(let inner):
                mine[place] = .folder
                try flatten(inner, at: place, depth: depth + 1, package)
            case .symbolicLink(let target):
                guard !target.isEmpty, target.count < DocumentLimits.linkBytes, !target.contains(0) else {
                    throw refused(
                        .invalidName, place, "the target of the symbolic link is empty, too long, or has a NUL")
                }
                mine[place] = .link(target: target)
            }
        }
    }

    /// Whether the new package is the one on disk.
    var isOnDisk: Bool {
        placements.count == disk.entries.count
            && placements.allSatisfy { path, placement in
                switch (placement, disk.entries[path]?.kind) {
                case (.folder, .folder): true
                case (.existing(let source), .file): source == path
                case (.link(let target), .link(let other)): target == other
                default: false
                }
            }
    }

    // MARK: Decisions

    private mutating func decide(_ path: [UInt8]) throws(DocumentError) {
        let (own, other, before) = (mine[path], disk.entries[path], loaded?.entries[path])
        let isChangedByOther = other.map { other in before.map { !$0.kind.isSame(as: other.kind) } ?? true } ?? true
        guard let other else {
            guard let own else { return }
            guard let before, PackageMerge.isSame(own, before) else { return try placeOwn(path, own) }
            // Another program removed it.
            isMerged = true
            return base.set(path, before)
        }
        guard let own else {
            if other.role == .temporary { return placeTemporary(path, other) }
            // Removed by the application, and not changed by another program.
            if other.role == .content, before != nil, !isChangedByOther { return }
            if other.role == .content { isMerged = true }
            return placeOther(path, other, at: path)
        }
        if case .folder = own, other.kind.isFolder {
            placements[place(path)] = .folder(like: path)
            return base.set(path, PackageBase.Entry(node: nil, kind: .folder))
        }
        if let before, PackageMerge.isSame(own, before) {
            placeOther(path, other, at: path)
            if isChangedByOther { isMerged = true }
            return base.set(path, isChangedByOther ? before : PackageBase.Entry(node: before.node, kind: other.settled))
        }
        if before != nil, !isChangedByOther { return try placeOwn(path, own) }
        if try isEqual(own, other, path) {
            placeOther(path, other, at: path)
            return base.set(path, PackageBase.Entry(node: PackageMerge.node(own), kind: other.settled))
        }
        let version = conflictPath(path)
        if other.kind.isFolder { movedFolders[path] = version }
        try placeOwn(path, own)
        placeOther(path, other, at: version)
        kept.append(version)
        isMerged = true
    }

    private static func node(_ entry: Mine) -> PackageNode? { if case .file(let node) = entry { node } else { nil } }

    /// Whether the application has not changed an entry.
    private static func isSame(_ own: Mine, _ before: PackageBase.Entry) -> Bool {
        switch (own, before.kind) {
        case (.file(let node), .file): node === before.node
        case (.folder, .folder): true
        case (.link(let one), .link(let two)): one == two
        default: false
        }
    }

    private func isEqual(_ own: Mine, _ other: PackageTree.Entry, _ path: [UInt8]) throws(DocumentError) -> Bool {
        switch (own, other.kind) {
        case (.file(let node), .file(let stamp, _)):
            guard node.size == stamp.size, let bytes = try read(path) else { return false }
            return try contents(node) == bytes
        case (.link(let one), .link(let two)): return one == two
        default: return false
        }
    }

    /// Returns the contents of a file; nil if they are gone from the disk.
    private func contents(_ node: PackageNode) throws(DocumentError) -> [UInt8]? {
        do throws(DocumentError) { return try node.contents() } catch {
            guard error.code == .invalidVersion || error.code == .notFound else { throw error }
            return nil
        }
    }

    // MARK: Placing

    private mutating func placeOwn(_ path: [UInt8], _ own: Mine) throws(DocumentError) {
        let target = place(path)
        if target != path { isMerged = true }
        switch own {
        case .folder:
            placements[target] = .folder(like: nil)
            base.set(path, PackageBase.Entry(node: nil, kind: .folder))
        case .link(let link):
            placements[target] = .link(target: link)
            base.set(path, PackageBase.Entry(node: nil, kind: .link(target: link)))
        case .file(let node):
            // A file that was moved, or whose contents are on disk already, is not written.
            let source = loaded?.paths[ObjectIdentifier(node)]
            if let source, let now = disk.entries[source], loaded?.entries[source]?.kind.isSame(as: now.kind) == true {
                placements[target] = .existing(source)
                return base.set(path, PackageBase.Entry(node: node, kind: now.settled))
            }
            if case .file = disk.entries[path]?.kind, let there = disk.entries[path], try isEqual(own, there, path) {
                placements[target] = .existing(path)
                return base.set(path, PackageBase.Entry(node: node, kind: there.settled))
            }
            guard node.isInMemory else { return try placeUnread(path, node, target, source) }
            placeNew(path, node, target)
        }
    }

    private mutating func placeNew(_ path: [UInt8], _ node: PackageNode, _ target: [UInt8]) {
        var like: [UInt8]?
        if case .file = disk.entries[path]?.kind { like = path }
        placements[target] = .new(node, like: like)
    }

    /// A file whose contents are elsewhere on disk: in another package, or in one that another program has changed meanwhile.
    private mutating func placeUnread(
        _ path: [UInt8], _ node: PackageNode, _ target: [UInt8], _ source: [UInt8]?
    ) throws(DocumentError) {
        if try contents(node) != nil { return placeNew(path, node, target) }
        // The change of the other program follows the file to its new path. A removal removes it there, too.
        isMerged = true
        if let source, case .file = disk.entries[source]?.kind { placements[target] = .existing(source) }
    }

    private mutating func placeOther(_ path: [UInt8], _ other: PackageTree.Entry, at new: [UInt8]) {
        let target = place(new)
        switch other.kind {
        case .folder: placements[target] = .folder(like: path)
        case .file: placements[target] = .existing(path)
        case .link(let link): placements[target] = .link(target: link)
        }
    }

    /// A temporary file stays for as long as its folder does.
    private mutating func placeTemporary(_ path: [UInt8], _ other: PackageTree.Entry) {
        let parent = PackagePath.split(path).parent
        guard parent.isEmpty || placements[parent]?.isFolder == true else { return }
        placeOther(path, other, at: path)
    }

    /// Makes the folders above a path, and returns the path that the entry gets. If a file has the name of a folder above, the folder
    /// gets the name of a conflict version.
    private mutating func place(_ path: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        let (parent, name) = PackagePath.split(path)
        for ancestor in parent.isEmpty ? [] : PackagePath.ancestors(of: path) {
            var current = PackagePath.join(result, PackagePath.split(ancestor).name)
            if let there = placements[current], !there.isFolder {
                let moved = movedFolders[ancestor] ?? conflictPath(current)
                if movedFolders.updateValue(moved, forKey: ancestor) == nil { kept.append(moved) }
                isMerged = true
                current = moved
            }
            if placements[current] == nil {
                placements[current] = .folder(like: disk.entries[ancestor]?.kind.isFolder == true ? ancestor : nil)
            }
            result = current
        }
        return PackagePath.join(result, name)
    }

    /// Returns a free name of a conflict version beside a path.
    private func conflictPath(_ path: [UInt8]) -> [UInt8] {
        let (parent, name) = PackagePath.split(path)
        // A longer name cannot have a conflict version of its own.
        let original = Array(name.prefix(DocumentLimits.nameBytes))
        for version in VersionNames(of: original, device: device.text) {
            let candidate = PackagePath.join(parent, version.bytes)
            if placements[candidate] == nil, disk.entries[candidate] == nil { return candidate }
        }
        return PackagePath.join(parent, Array("conflict-\(StableHash.text(of: path))".utf8))
    }

    /// Sets the root folder of the package that was put in place.
    mutating func didPlace(_ root: FileStamp) { base.root = root }

    /// Sets the stamp of a file that was copied, since it cannot have a hard link.
    mutating func didCopy(_ path: [UInt8], _ stamp: FileStamp) {
        guard let entry = base.entries[path] else { return }
        base.set(path, PackageBase.Entry(node: entry.node, kind: .file(stamp, digest: nil)))
    }

    /// Sets the stamp of a file that was written.
    mutating func didWrite(_ path: [UInt8], _ node: PackageNode, _ stamp: FileStamp) {
        base.set(path, PackageBase.Entry(node: node, kind: .file(stamp, digest: stamp.digest(of: node))))
    }
}

extension FileStamp {
    /// Returns a hash of contents that were written just now.
    fileprivate func digest(of node: PackageNode) -> UInt64? {
        guard size <= DocumentLimits.digestBytes, let bytes = try? node.contents() else { return nil }
        return StableHash.value(of: bytes)
    }
}
