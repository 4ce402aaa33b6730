// Bringing over the changes that came out of an exchange, and completing the saves of killed processes.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Metadata
internal import SaveFiles

extension PackageSaver {
    /// Whether a killed process left a part of its save.
    static func hasRemains(of name: [UInt8], in folder: borrowing Folder) throws(DocumentError) -> Bool {
        for form in [SaveName.complete, .partial, .former] {
            let entry = form.of(name)
            if let status = try folder.status(of: entry), status.isDirectory { return true }
        }
        guard let status = try folder.status(of: name), status.isDirectory, let root = try? Folder(name, in: folder)
        else { return false }
        return try root.status(of: PackageManifest.name) != nil
    }

    /// Completes a save that a killed process left. Returns the paths of conflict versions that this made, from the folder of the
    /// package on.
    @discardableResult
    func recover() throws(DocumentError) -> [[UInt8]] {
        try folder.removeTree(partial)
        if let status = try folder.status(of: former), status.isDirectory {
            // The process was killed between two renames that stand for an exchange.
            if try folder.status(of: name) == nil, try folder.status(of: temporary) == nil {
                _ = try takeFreeName(former)
            } else if try folder.status(of: name) == nil {
                _ = try takeFreeName(temporary)
            }
            if try folder.status(of: former) != nil, try folder.status(of: temporary) == nil {
                do throws(SystemError) { try folder.renameToFree(former, temporary) } catch {
                    throw DocumentError("cannot complete the save of", folder.text(name), error)
                }
            }
        }
        guard let left = try folder.status(of: temporary), left.isDirectory else {
            try removeManifest(of: name)
            return []
        }
        guard let current = try folder.status(of: name) else {
            if try takeFreeName(temporary) { try removeManifest(of: name) }
            return []
        }
        guard current.isDirectory else { return [] }
        if try Folder(temporary, in: folder).status(of: PackageManifest.name) != nil {
            // It was never put in place, so its save never ended.
            try folder.removeTree(temporary)
            return []
        }
        return try settle(PackageManifest(in: Folder(name, in: folder)))
    }

    private func removeManifest(of entry: [UInt8]) throws(DocumentError) {
        guard let status = try folder.status(of: entry), status.isDirectory else { return }
        try Folder(entry, in: folder).remove(PackageManifest.name)
    }

    /// Brings the changes that the save did not know from the old package over to the new one, and removes the old one. Returns the
    /// paths of the conflict versions that were made, from the folder of the package on.
    func settle(_ manifest: PackageManifest) throws(DocumentError) -> [[UInt8]] {
        var kept: [[UInt8]] = []
        do throws(DocumentError) {
            let old = try Folder(temporary, in: folder)
            let tree = try PackageTree(scanning: old)
            let root = try Folder(name, in: folder)
            for path in tree.entries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                guard let entry = tree.entries[path] else { continue }
                if let known = manifest.known[path], known.isSame(as: entry.kind) { continue }
                if let version = try bringOver(path, entry, tree, old, root, manifest) {
                    kept.append(PackagePath.join(name, version))
                }
            }
        } catch {
            guard [.tooDeep, .tooManyEntries, .specialFile].contains(error.code) else { throw error }
            // Another program has made a tree that no package has. It stays beside the package as a whole.
            kept.append(try keepWhole())
        }
        try folder.removeTree(temporary)
        try removeManifest(of: name)
        return kept
    }

    /// Gives the old package the name of a conflict version, which is returned.
    private func keepWhole() throws(DocumentError) -> [UInt8] {
        for version in VersionNames(of: name, device: device.text) {
            do throws(SystemError) {
                try folder.renameToFree(temporary, version.bytes)
                return version.bytes
            } catch {
                if error != .exists, error != .notEmpty {
                    throw DocumentError("cannot keep a version of", folder.text(name), error)
                }
            }
        }
        // Without a name, it would be removed as the rest of the save.
        throw DocumentError(
            code: .exists, message: "cannot keep a version of \(folder.text(name)): all names are taken",
            path: folder.text(name))
    }

    /// Brings one entry over. Returns the path of a conflict version if both packages have another file there.
    private func bringOver(
        _ path: [UInt8], _ entry: PackageTree.Entry, _ tree: PackageTree, _ old: borrowing Folder,
        _ root: borrowing Folder, _ manifest: PackageManifest
    ) throws(DocumentError) -> [UInt8]? {
        let (parent, name) = PackagePath.split(path)
        let source = try tree.folder(parent, in: old)
        guard let target = try openOrMake(parent, in: root) else {
            throw DocumentError(
                code: .specialFile, message: "a file has the name of a folder of the former package",
                path: folder.text(self.name))
        }
        if entry.kind.isFolder {
            if let status = try target.folder.status(of: name), !status.isDirectory { return nil }
            try make(name, in: target.folder)
            return nil
        }
        let text = target.folder.text(name)
        do throws(SystemError) {
            try Entry.renameToFree(
                name.cString, in: source.folder.number, to: name.cString, in: target.folder.number)
            return nil
        } catch {
            if error == .noEntry { return nil }
            if error != .exists { throw DocumentError("cannot bring over", text, error) }
        }
        guard let now = try target.folder.status(of: name), !isSame(now, entry.kind, name, source, target) else {
            return nil
        }
        // The new package has a hard link to the file that another program has replaced: the later version counts.
        if !manifest.written.contains(path), let known = manifest.known[path],
            known.isSame(as: .file(FileStamp(now), digest: nil))
        {
            try DocumentError.of("cannot bring over", text) { () throws(SystemError) in
                try Entry.rename(name.cString, in: source.folder.number, to: name.cString, in: target.folder.number)
            }
            return nil
        }
        let original = Array(name.prefix(DocumentLimits.nameBytes))
        for version in VersionNames(of: original, device: device.text) {
            do throws(SystemError) {
                try Entry.renameToFree(
                    name.cString, in: source.folder.number, to: version.bytes.cString, in: target.folder.number)
                return PackagePath.join(parent, version.bytes)
            } catch {
                if error != .exists { throw DocumentError("cannot keep a version of", text, error) }
            }
        }
        throw DocumentError(code: .exists, message: "cannot keep a version of \(text): all names are taken", path: text)
    }

    /// Whether the entries of one name in both packages have the same contents.
    private func isSame(
        _ now: EntryStatus, _ kind: PackageTree.Kind, _ name: [UInt8], _ source: PackageTree.OpenFolder,
        _ target: PackageTree.OpenFolder
    ) -> Bool {
        switch kind {
        case .file(let stamp, _):
            if now.inode == stamp.inode, now.device == stamp.device { return true }
            guard now.type == .regular, now.size == stamp.size, let one = try? source.folder.read(name),
                let two = try? target.folder.read(name)
            else { return false }
            return one.bytes == two.bytes
        case .link(let link): return (try? target.folder.target(of: name)) == link
        case .folder: return now.isDirectory
        }
    }

    /// Opens a folder of the new package, and makes missing ones. Nil if a file has the name of one.
    private func openOrMake(
        _ path: [UInt8], in root: borrowing Folder
    ) throws(DocumentError) -> PackageTree.OpenFolder? {
        var open = PackageTree.OpenFolder(try Folder([UInt8(ascii: ".")], in: root, path: root.path))
        guard !path.isEmpty else { return open }
        for name in path.split(separator: UInt8(ascii: "/")).map({ Array($0) }) {
            if let status = try open.folder.status(of: name) {
                guard status.isDirectory else { return nil }
            } else {
                try make(name, in: open.folder)
            }
            open = PackageTree.OpenFolder(try Folder(name, in: open.folder))
        }
        return open
    }

    private func make(_ name: [UInt8], in parent: borrowing Folder) throws(DocumentError) {
        do throws(SystemError) { try Directory.make(name.cString, in: parent.number, mode: 0o777) } catch {
            if error == .exists { return }
            throw DocumentError("cannot make the folder", parent.text(name), error)
        }
        try FileAccessCopy.shareWithFolder(parent, Folder(name, in: parent).descriptor)
    }
}
