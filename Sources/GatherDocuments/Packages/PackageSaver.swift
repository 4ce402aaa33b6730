// Saving a package beside changes that others made in it meanwhile.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Metadata
internal import SaveFiles

/// Saves one package in a locked folder, so that readers see the old package or the new one, and no change of others is lost.
///
/// The folders of the package are locked, too. The new package is built under a name that Syncthing never sends: new files are
/// written, and the others get a hard link. Then the new package and the current one are exchanged (`RENAME_EXCHANGE`). Changes that a
/// program without the locks made until then are in the package that came out. They are brought over, and the rest is removed.
struct PackageSaver: ~Copyable {
    /// The result of a save.
    struct Outcome: Sendable {
        /// The package as it was saved.
        var base: PackageBase
        /// The paths of the conflict versions that the save made, from the folder of the package on.
        var kept: [[UInt8]] = []
        /// Whether the package on disk has changes that the application does not know.
        var isMerged = false
    }

    let folder: Folder
    let name: [UInt8]
    let device: DeviceIdentifier
    private let lockTimeout: Duration
    private let progress: DocumentProgress?

    /// Makes a saver of a package in a folder. The caller holds the folder's lock during each call.
    init(
        _ folder: consuming Folder, name: [UInt8], device: DeviceIdentifier,
        lockTimeout: Duration = DocumentLimits.lockTimeout, progress: DocumentProgress? = nil
    ) {
        self.folder = folder
        self.name = name
        self.device = device
        self.lockTimeout = lockTimeout
        self.progress = progress
    }

    /// Gives the folder back.
    consuming func end() -> Folder { folder }

    /// The name of the complete new package before the exchange, and of the old one after it.
    var temporary: [UInt8] { SaveName.complete.of(name) }
    /// The name of the new package while it is built.
    var partial: [UInt8] { SaveName.partial.of(name) }

    /// Refuses an entry that is no folder.
    static func requirePackage(
        _ status: EntryStatus, _ name: [UInt8], in folder: borrowing Folder
    ) throws(DocumentError) {
        guard !status.isDirectory else { return }
        throw DocumentError(
            code: .notADocument, message: "cannot use \(folder.text(name)): it is no package", path: folder.text(name))
    }

    // MARK: Saving

    /// Saves a package.
    ///
    /// - Parameters:
    ///   - package: The application's package.
    ///   - loaded: The package that it is made from; nil for a new one, for which every entry that is there is one of others.
    ///   - mustBeNew: Whether a package that is there is an error.
    ///   - isShared: Whether new entries get the group and the permissions of their folder.
    func save(
        _ package: Package, over loaded: PackageBase?, mustBeNew: Bool = false, isShared: Bool
    ) throws(DocumentError) -> Outcome {
        var kept = try recover()
        for _ in 0..<DocumentLimits.saveAttempts {
            guard let status = try folder.status(of: name) else {
                let disk = PackageTree(root: FileStamp.none)
                guard let outcome = try make(package, over: loaded, disk, root: nil, isShared, &kept) else { continue }
                return outcome
            }
            guard !mustBeNew else {
                throw DocumentError(
                    code: .exists, message: "cannot make \(folder.text(name)): an entry has this name",
                    path: folder.text(name))
            }
            try PackageSaver.requirePackage(status, name, in: folder)
            let root: PackageTree.OpenFolder
            let disk: PackageTree
            do throws(DocumentError) {
                root = PackageTree.OpenFolder(try Folder(name, in: folder))
                disk = try PackageTree(scanning: root.folder, lockTimeout: lockTimeout, comparedWith: loaded)
            } catch {
                // Another program has removed it in this moment.
                if error.code == .notFound, try folder.status(of: name) == nil { continue }
                throw error
            }
            guard let outcome = try make(package, over: loaded, disk, root: root, isShared, &kept) else { continue }
            return outcome
        }
        throw DocumentError(
            code: .busy, message: "cannot save \(folder.text(name)): another program changes it all the time",
            path: folder.text(name))
    }

    /// Makes one attempt. Nil if the package on disk has changed meanwhile.
    private func make(
        _ package: Package, over loaded: PackageBase?, _ disk: PackageTree, root: PackageTree.OpenFolder?,
        _ isShared: Bool, _ kept: inout [[UInt8]]
    ) throws(DocumentError) -> Outcome? {
        // Contents that are gone from the disk must be asked for before the plan is made.
        var merge = try PackageMerge(package.root, over: loaded, disk: disk, device: device, path: folder.text(name)) {
            (path) throws(DocumentError) -> [UInt8]? in
            guard let root else { return nil }
            let (parent, name) = PackagePath.split(path)
            return try disk.folder(parent, in: root.folder).folder.read(name)?.bytes
        }
        if root != nil, merge.isOnDisk {
            return Outcome(base: merge.base, kept: kept, isMerged: merge.isMerged)
        }
        if let root { try requireWritableFolders(disk, root.folder) }
        keepRemoved(loaded, merge)
        var manifest = PackageManifest()
        manifest.known = disk.entries.mapValues(\.kind)
        for (path, placement) in merge.placements {
            if case .existing(let source) = placement, source == path { continue }
            manifest.written.insert(path)
        }
        try folder.removeTree(partial)
        var builder = PackageBuilder(
            merge.placements, disk: disk, old: root, device: device, isShared: isShared, progress: progress)
        do throws(DocumentError) {
            guard try builder.build(partial, in: folder, manifest: root == nil ? nil : manifest.bytes) else {
                try folder.removeTree(partial)
                return nil
            }
        } catch {
            try? folder.removeTree(partial)
            throw error
        }
        manifest.written.formUnion(builder.stamps.keys)
        guard try place(hasOld: root != nil) else { return nil }
        let versions = root == nil ? [] : try settle(manifest)
        finish(&merge, builder.stamps)
        kept += merge.kept.map { PackagePath.join(name, $0) } + versions
        return Outcome(
            base: merge.base, kept: kept,
            isMerged: merge.isMerged || !versions.isEmpty)
    }

    /// Refuses a package with a folder that this user may not write to. The entries of such a folder could not be removed.
    private func requireWritableFolders(
        _ disk: PackageTree, _ root: borrowing Folder
    ) throws(DocumentError) {
        try folder.requireWritable(name)
        for (path, entry) in disk.entries where entry.kind.isFolder {
            let (parent, name) = PackagePath.split(path)
            try disk.folder(parent, in: root).folder.requireWritable(name)
        }
    }

    /// Reads files that the save removes or replaces into memory. The application may bring them back with an undo.
    private func keepRemoved(_ loaded: PackageBase?, _ merge: PackageMerge) {
        guard let loaded else { return }
        var room = DocumentLimits.undoBytes
        for (path, entry) in loaded.entries {
            guard let node = entry.node, merge.base.paths[ObjectIdentifier(node)] == nil else { continue }
            // Another program's removal or change counts.
            if case .existing(let source) = merge.placements[path], source == path { continue }
            if node.size <= room { room -= node.keepInMemory() }
        }
    }

    /// Tells the files of the application where they are now.
    private func finish(_ merge: inout PackageMerge, _ stamps: [[UInt8]: FileStamp]) {
        for (path, stamp) in stamps {
            switch merge.placements[path] {
            case .new(let node, _): merge.didWrite(path, node, stamp)
            case .existing: merge.didCopy(path, stamp)
            default: break
            }
        }
        guard let root = try? Folder(name, in: folder), let status = try? EntryStatus(of: "", in: root.number) else {
            return
        }
        merge.didPlace(FileStamp(status))
        let source = PackageSource(path: DocumentPath.join(folder.path, name), root: root)
        for (path, entry) in merge.base.entries {
            if case .file(let stamp, _) = entry.kind { entry.node?.move(to: source, at: path, stamp) }
        }
    }

    // MARK: The exchange

    /// Puts the new package in place of the current one. False if the current one has changed its kind or is gone, or if there is
    /// one now.
    private func place(hasOld: Bool) throws(DocumentError) -> Bool {
        do throws(SystemError) {
            try Entry.rename(partial.cString, in: folder.number, to: temporary.cString, in: folder.number)
        } catch {
            throw DocumentError("cannot save", folder.text(name), error)
        }
        do throws(DocumentError) {
            let isPlaced = hasOld ? try exchange() : try takeFreeName(temporary)
            if !isPlaced { try folder.removeTree(temporary) }
            return isPlaced
        } catch {
            // It would be taken for the old package later.
            if hasOld { try? folder.removeTree(temporary) }
            throw error
        }
    }

    private func exchange() throws(DocumentError) -> Bool {
        switch try folder.exchange(temporary, with: name) {
        case .done: return true
        case .isGone: return false
        case .isUnsupported: break
        }
        // The folder is without the package for a moment, and the next program that opens or saves it completes this.
        do throws(SystemError) {
            try Entry.rename(name.cString, in: folder.number, to: former.cString, in: folder.number)
        } catch {
            if error == .noEntry { return false }
            throw DocumentError("cannot save", folder.text(name), error)
        }
        guard try takeFreeName(temporary) else { return false }
        do throws(SystemError) {
            try Entry.rename(former.cString, in: folder.number, to: temporary.cString, in: folder.number)
        } catch {
            throw DocumentError("cannot save", folder.text(name), error)
        }
        return true
    }

    /// The name of the old package between two renames, where packages cannot be exchanged.
    var former: [UInt8] { SaveName.former.of(name) }

    /// Gives an entry the name of the package. False if there is one now.
    func takeFreeName(_ entry: [UInt8]) throws(DocumentError) -> Bool { try folder.place(entry, as: name) }
}
