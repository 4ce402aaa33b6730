// The entries of a package on disk.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Metadata
internal import SaveFiles

/// The entries of a package on disk at one time, by their paths in it.
struct PackageTree: Sendable {
    /// An entry on disk.
    struct Entry: Sendable {
        var kind: Kind
        var role: Role
        /// Whether the times of a file were old enough, when it was listed, to tell each later change.
        var isSettled = true

        /// The kind without a digest that is not needed any more.
        var settled: Kind {
            if isSettled, case .file(let stamp, _) = kind { .file(stamp, digest: nil) } else { kind }
        }
    }

    /// The kind of an entry, and the facts by which a change of it is noticed.
    enum Kind: Sendable {
        /// `digest` is a hash of the contents. It is there if the file was listed so soon after a change that its times do not tell
        /// the next one.
        case file(FileStamp, digest: UInt64?)
        case folder
        case link(target: [UInt8])

        var isFolder: Bool { if case .folder = self { true } else { false } }

        func isSame(as other: Kind) -> Bool {
            switch (self, other) {
            case (.file(let one, let digest), .file(let two, let otherDigest)):
                one.hasSameContents(as: two) && (digest == nil || otherDigest == nil || digest == otherDigest)
            case (.folder, .folder): true
            case (.link(let one), .link(let two)): one == two
            default: false
            }
        }
    }

    /// The part that an entry plays in a package.
    enum Role: Sendable, Hashable {
        case content
        /// A conflict version, or an entry of a folder that is one.
        case conflictVersion
        /// A file that a program saves or replicates.
        case temporary

        init(of name: [UInt8]) {
            if SyncthingName.isTemporary(name) {
                self = .temporary
            } else if ConflictName(name) != nil {
                self = .conflictVersion
            } else {
                self = .content
            }
        }
    }

    var entries: [[UInt8]: Entry] = [:]
    /// The root folder.
    let root: FileStamp
    /// Open folders by their paths, locked. Those beyond ``DocumentLimits/lockedFolders`` are missing.
    var folders: [[UInt8]: OpenFolder] = [:]

    /// An open folder that several owners share. Its lock ends with it.
    final class OpenFolder: Sendable {
        let folder: Folder
        init(_ folder: consuming Folder) { self.folder = folder }
    }

    /// Returns the paths of the conflict versions, the last first: of regular files outside of archives, by their own names, as
    /// ``FileVersion`` lists them.
    var conflictVersions: [[UInt8]] {
        entries.compactMap { path, entry in
            guard case .file = entry.kind, ConflictName(PackagePath.split(path).name) != nil, !ArchiveName.holds(path)
            else { return nil }
            return path
        }
        .sorted { $1.lexicographicallyPrecedes($0) }
    }

    /// Returns the open folder at a path. A locked one is there already.
    func folder(_ path: [UInt8], in root: borrowing Folder) throws(DocumentError) -> OpenFolder {
        if let open = folders[path] { return open }
        return OpenFolder(try Folder(path.isEmpty ? [UInt8(ascii: ".")] : path, in: root))
    }

    // MARK: Scanning

    /// The tree of no package.
    init(root: FileStamp) { self.root = root }

    /// Lists a package whose root folder is open.
    ///
    /// - Parameters:
    ///   - lockTimeout: The longest wait for the lock of each folder; nil for no locks.
    ///   - base: The package that this one will be compared with.
    /// - Throws: ``DocumentError/Code/tooManyEntries``, ``DocumentError/Code/tooDeep`` and ``DocumentError/Code/specialFile`` for
    ///   trees that no package has.
    init(
        scanning root: borrowing Folder, lockTimeout: Duration? = nil, comparedWith base: PackageBase? = nil
    ) throws(DocumentError) {
        do throws(SystemError) { self.root = FileStamp(try EntryStatus(of: "", in: root.number)) } catch {
            throw DocumentError("cannot look at", String(decoding: root.path, as: UTF8.self), error)
        }
        // Opened anew, since the folders hold their descriptors.
        let own = OpenFolder(try Folder([UInt8(ascii: ".")], in: root, path: root.path))
        if let lockTimeout { try own.folder.lock(timeout: lockTimeout) }
        if lockTimeout != nil { folders[[]] = own }
        try scan(own, at: [], role: .content, depth: 0, lockTimeout, base)
    }

    private mutating func scan(
        _ open: OpenFolder, at path: [UInt8], role: Role, depth: Int, _ lockTimeout: Duration?,
        _ base: PackageBase?
    ) throws(DocumentError) {
        let room = DocumentLimits.packageEntries - entries.count
        var found = 0
        let names = try open.folder.names { _ in
            found += 1
            return found <= room
        }
        guard found <= room else {
            throw open.folder.refused(
                .tooManyEntries, "the package has more than \(DocumentLimits.packageEntries) entries")
        }
        for name in names
        where (name != PackageManifest.name || !path.isEmpty) && !name.elementsEqual(DirectoryLockFile.name.utf8) {
            // It may be gone since the folder was listed.
            guard let status = try open.folder.status(of: name) else { continue }
            let own = role == .content ? Role(of: name) : role
            let place = PackagePath.join(path, name)
            switch status.type {
            case .regular:
                let stamp = FileStamp(status)
                let isSettled = stamp.isContentSettled
                let needsDigest = own == .content && (!isSettled || base?.hasDigest(at: place, stamp) == true)
                entries[place] = Entry(
                    kind: .file(stamp, digest: needsDigest ? open.folder.digest(of: name, stamp) : nil), role: own,
                    isSettled: isSettled)
            case .symlink:
                guard let target = try open.folder.target(of: name) else { continue }
                entries[place] = Entry(kind: .link(target: target), role: own)
            case .directory:
                guard depth < DocumentLimits.packageDepth else {
                    throw open.folder.refused(
                        .tooDeep, "the package has more than \(DocumentLimits.packageDepth) folders in one another")
                }
                let inner: OpenFolder
                do throws(DocumentError) { inner = OpenFolder(try Folder(name, in: open.folder)) } catch {
                    if error.code == .notFound, try open.folder.status(of: name) == nil { continue }
                    throw error
                }
                if let lockTimeout, folders.count < DocumentLimits.lockedFolders {
                    try inner.folder.lock(timeout: lockTimeout)
                    folders[place] = inner
                }
                entries[place] = Entry(kind: .folder, role: own)
                try scan(inner, at: place, role: own, depth: depth + 1, lockTimeout, base)
            default:
                throw DocumentError(
                    code: .specialFile,
                    message: "cannot use \(open.folder.text(name)): it is neither a file, a folder nor a symbolic link",
                    path: open.folder.text(name))
            }
        }
    }
}

extension Folder {
    fileprivate func refused(_ code: DocumentError.Code, _ reason: String) -> DocumentError {
        let text = String(decoding: path, as: UTF8.self)
        return DocumentError(code: code, message: "cannot read the folder \(text): \(reason)", path: text)
    }

    /// Returns a hash of a file; nil for a large one.
    func digest(of name: [UInt8], _ stamp: FileStamp) -> UInt64? {
        guard stamp.size <= DocumentLimits.digestBytes, let file = try? read(name) else { return nil }
        return StableHash.value(of: file.bytes)
    }

    /// Returns the target of a symbolic link; nil if there is none.
    func target(of name: [UInt8]) throws(DocumentError) -> [UInt8]? {
        do throws(SystemError) {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: DocumentLimits.linkBytes, alignment: 1)
            defer { buffer.deallocate() }
            let count = try Entry.readSymlink(name.cString, in: number, into: buffer)
            return Array(buffer[..<count])
        } catch {
            if error == .noEntry || error == .invalid { return nil }
            throw DocumentError("cannot read the symbolic link", text(name), error)
        }
    }
}
