// Building the new package beside the old one.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import SaveFiles

/// Builds the new package from its plan: hard links to the files on disk that stay, and new files.
struct PackageBuilder {
    /// The stamps of files that are not hard links, by their paths.
    private(set) var stamps: [[UInt8]: FileStamp] = [:]

    private let placements: [[UInt8]: PackageMerge.Placement]
    private var children: [[UInt8]: [[UInt8]]] = [:]
    private let disk: PackageTree
    /// The root folder on disk; nil if there is no package.
    private let old: PackageTree.OpenFolder?
    private let device: DeviceIdentifier
    private let isShared: Bool
    private let progress: DocumentProgress?
    /// The folder on disk of the last file that stays.
    private var source: (path: [UInt8], open: PackageTree.OpenFolder)?

    init(
        _ placements: [[UInt8]: PackageMerge.Placement], disk: PackageTree, old: PackageTree.OpenFolder?,
        device: DeviceIdentifier, isShared: Bool, progress: DocumentProgress?
    ) {
        (self.placements, self.disk, self.old) = (placements, disk, old)
        (self.device, self.isShared, self.progress) = (device, isShared, progress)
        for path in placements.keys { children[PackagePath.split(path).parent, default: []].append(path) }
        progress?.begin(
            placements.values.reduce(0) { if case .new(let node, _) = $1 { $0 + node.size } else { $0 } })
    }

    // MARK: Folders

    /// Makes the new package under a name that is free.
    ///
    /// - Parameter manifest: Is written into it; nil for none.
    /// - Returns: False if the package on disk has changed meanwhile.
    mutating func build(
        _ name: [UInt8], in parent: borrowing Folder, manifest: [UInt8]?
    ) throws(DocumentError) -> Bool {
        try makeFolder(name, [], like: old == nil ? nil : [], in: parent, manifest)
    }

    private mutating func makeFolder(
        _ name: [UInt8], _ path: [UInt8], like: [UInt8]?, in parent: borrowing Folder, _ manifest: [UInt8]? = nil
    ) throws(DocumentError) -> Bool {
        do throws(SystemError) {
            try Directory.make(name.cString, in: parent.number, mode: like == nil ? 0o777 : 0o700)
        } catch {
            throw DocumentError("cannot make the folder", parent.text(name), error)
        }
        let folder = try Folder(name, in: parent)
        let mode = try copyAccess(like, to: folder, in: parent)
        if path.isEmpty { FileAccessCopy.setAuthor(device, folder.descriptor) }
        if let manifest { try write(manifest, PackageManifest.name, in: folder) }
        for path in children[path] ?? [] {
            let name = PackagePath.split(path).name
            let isDone =
                switch placements[path] {
                case .folder(let like): try makeFolder(name, path, like: like, in: folder)
                case .existing(let source): try link(source, path, name, in: folder)
                case .new(let node, let like): try makeFile(node, path, name, like: like, in: folder)
                case .link(let target): try makeLink(target, name, in: folder)
                case nil: true
                }
            guard isDone else { return false }
        }
        do throws(SystemError) {
            if let mode { try folder.descriptor.setMode(mode) }
            try folder.descriptor.synchronize()
        } catch {
            throw DocumentError("cannot save the folder", parent.text(name), error)
        }
        return true
    }

    /// Gives a new folder the access of one on disk, or of its own folder. Returns the mode that it gets when it is complete, if this
    /// user could not write to it with that.
    private mutating func copyAccess(
        _ like: [UInt8]?, to folder: borrowing Folder, in parent: borrowing Folder
    ) throws(DocumentError) -> UInt32? {
        guard let like, let open = try openFolder(like) else {
            if isShared { try FileAccessCopy.shareWithFolder(parent, folder.descriptor) }
            return nil
        }
        guard let status = try open.folder.status(of: []) else { return nil }
        try FileAccessCopy.copy(of: [], status, in: open.folder, to: folder.descriptor)
        // The group may be another now, and with it the mode.
        let mode = UInt32(try folder.status(of: []).map(\.mode) ?? 0) & 0o7777
        guard mode & 0o700 != 0o700 else { return nil }
        do throws(SystemError) { try folder.descriptor.setMode(mode | 0o700) } catch {
            throw DocumentError("cannot set the mode of", String(decoding: folder.path, as: UTF8.self), error)
        }
        return mode
    }

    /// Returns a folder on disk; nil if it is gone.
    private mutating func openFolder(_ path: [UInt8]) throws(DocumentError) -> PackageTree.OpenFolder? {
        guard let old else { return nil }
        if let source, source.path == path { return source.open }
        do throws(DocumentError) {
            let open = try disk.folder(path, in: old.folder)
            source = (path, open)
            return open
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    // MARK: Files

    private mutating func makeFile(
        _ node: PackageNode, _ path: [UInt8], _ name: [UInt8], like: [UInt8]?, in folder: borrowing Folder
    ) throws(DocumentError) -> Bool {
        let bytes = try node.contents()
        let text = folder.text(name)
        let number = folder.number
        let file = try DocumentError.of("cannot save", text) { () throws(SystemError) in
            try Entry.openForWriting(
                name.cString, in: number, mode: like == nil ? 0o666 : 0o600, truncate: true, exclusive: true)
        }
        do throws(SystemError) { try file.writeAll(bytes) } catch { throw DocumentError("cannot save", text, error) }
        progress?.advance(bytes.count)
        if let like {
            let (parent, old) = PackagePath.split(like)
            guard let source = try openFolder(parent), let status = try source.folder.status(of: old) else {
                return false
            }
            try source.folder.requireWritable(old)
            try FileAccessCopy.copy(of: old, status, in: source.folder, to: file)
        } else if isShared {
            try FileAccessCopy.shareWithFolder(folder, file)
        }
        FileAccessCopy.setAuthor(device, file)
        stamps[path] = try finish(file, text)
        return true
    }

    /// Syncs a new file, and returns its stamp.
    private func finish(_ file: borrowing Descriptor, _ text: String) throws(DocumentError) -> FileStamp {
        do throws(SystemError) {
            try file.synchronize()
            return FileStamp(try EntryStatus(of: "", in: file.number))
        } catch {
            throw DocumentError("cannot save", text, error)
        }
    }

    private func write(_ bytes: [UInt8], _ name: [UInt8], in folder: borrowing Folder) throws(DocumentError) {
        do throws(SystemError) {
            try Entry.openForWriting(name.cString, in: folder.number, mode: 0o600, truncate: true).writeAll(bytes)
        } catch {
            throw DocumentError("cannot save", folder.text(name), error)
        }
    }

    private func makeLink(
        _ target: [UInt8], _ name: [UInt8], in folder: borrowing Folder
    ) throws(DocumentError) -> Bool {
        do throws(SystemError) {
            try Entry.makeSymlink(name.cString, in: folder.number, to: target.cString)
            return true
        } catch {
            throw DocumentError("cannot make the symbolic link", folder.text(name), error)
        }
    }

    /// Gives a file on disk a hard link in the new package. False if it is another file by now.
    private mutating func link(
        _ path: [UInt8], _ new: [UInt8], _ name: [UInt8], in folder: borrowing Folder
    ) throws(DocumentError) -> Bool {
        let (parent, old) = PackagePath.split(path)
        guard case .file(let stamp, _) = disk.entries[path]?.kind, let source = try openFolder(parent) else {
            return false
        }
        do throws(SystemError) {
            try Entry.link(old.cString, in: source.folder.number, to: name.cString, in: folder.number)
            let status = try EntryStatus(of: name.cString, in: folder.number)
            return status.inode == stamp.inode && status.device == stamp.device
        } catch {
            if error == .noEntry { return false }
            // File systems without hard links, files with too many, and files of others (fs.protected_hardlinks of proc(5)).
            guard [.notPermitted, .notSupported, .tooManyNames, .crossesDevice].contains(error) else {
                throw DocumentError("cannot link", folder.text(name), error)
            }
        }
        return try copy(old, new, name, from: source.folder, to: folder)
    }

    /// Copies a file with its access, author and time.
    private mutating func copy(
        _ old: [UInt8], _ new: [UInt8], _ name: [UInt8], from source: borrowing Folder, to folder: borrowing Folder
    ) throws(DocumentError) -> Bool {
        guard let status = try source.status(of: old), let file = try source.read(old) else { return false }
        let text = folder.text(name)
        let number = folder.number
        let copy = try DocumentError.of("cannot save", text) { () throws(SystemError) in
            try Entry.openForWriting(name.cString, in: number, mode: 0o600, truncate: true, exclusive: true)
        }
        do throws(SystemError) { try copy.writeAll(file.bytes) } catch {
            throw DocumentError("cannot save", text, error)
        }
        try FileAccessCopy.copy(of: old, status, in: source, to: copy)
        if let author = FileAccessCopy.author(of: old, in: source) { FileAccessCopy.setAuthor(author, copy) }
        FileAccessCopy.setModified(status.modified, copy)
        stamps[new] = try finish(copy, text)
        return true
    }
}
