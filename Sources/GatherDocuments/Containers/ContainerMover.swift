// Moving the entries of a folder into another one that has entries, too.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import LinuxSystem
internal import Metadata
internal import SaveFiles

/// Moves entries one by one. It never holds the locks of two folders, except for a move.
struct ContainerMover {
    private(set) var result = ContainerMerge()
    /// The key-value store of the container, which is merged value by value.
    private let values: [UInt8]

    init(_ container: some FileContainer) {
        values = container.data.appending(KeyValueStore.nameInContainer).bytes
    }

    /// Moves the entries of a folder to another one.
    mutating func moveEntries(of source: borrowing Folder, to target: borrowing Folder) throws(DocumentError) {
        // A save that was killed may have left the only copy of a version under the name of its temporary file.
        for name in try source.names(where: { _ in true }) {
            guard let document = LeftSave.document(of: name) ?? SaveName.former.document(of: name) else {
                continue
            }
            do throws(DocumentError) { try source.completeSave(of: document) } catch { result.left.append(error) }
        }
        for name in try source.names(where: { _ in true }).sorted(by: { $0.lexicographicallyPrecedes($1) })
        where !SyncthingName.isTemporary(name) {
            do throws(DocumentError) { try move(name, from: source, to: target) } catch {
                // Another process may be moving the same entries.
                if try source.status(of: name) != nil { result.left.append(error) }
            }
        }
    }

    private mutating func move(
        _ name: [UInt8], from source: borrowing Folder, to target: borrowing Folder
    ) throws(DocumentError) {
        guard DocumentPath.join(target.path, name) != values, let status = try source.status(of: name) else { return }
        let other = try target.status(of: name)
        switch (status.type, other?.type) {
        case (.directory, nil) where values.starts(with: DocumentPath.join(target.path, name)):
            _ = try target.makeSharedFolder(name)
            try merge(name, from: source, to: target)
        case (.directory, .directory): try merge(name, from: source, to: target)
        case (_, nil): try move(name, from: source, to: name, in: target)
        case (.regular, .regular): try keep(name, from: source, beside: name, in: target)
        case (.symlink, .symlink) where try source.target(of: name) == target.target(of: name):
            try source.remove(name)
        default:
            throw DocumentError(
                code: .exists,
                message: "cannot move \(source.text(name)): another kind of entry is at \(target.text(name))",
                path: source.text(name))
        }
    }

    private mutating func move(
        _ name: [UInt8], from source: borrowing Folder, to free: [UInt8], in target: borrowing Folder
    ) throws(DocumentError) {
        try Relocation.move(name, in: source, to: free, in: target)
        result.moved.append(FilePath(bytes: DocumentPath.join(target.path, free)))
        try ContainerMover.share(free, in: target)
    }

    /// Gives a file, or a folder with all its entries, the group of its folder, and write permission for the users who
    /// may write there.
    private static func share(_ name: [UInt8], in folder: borrowing Folder, depth: Int = 0) throws(DocumentError) {
        guard let type = try folder.status(of: name)?.type, type == .regular || type == .directory,
            depth <= DocumentLimits.removalDepth, let entry = try? Entry.openForReading(name.cString, in: folder.number)
        else { return }
        try FileAccessCopy.shareWithFolder(folder, entry, isNew: false)
        guard type == .directory else { return }
        let inner = try Folder(name, in: folder)
        for name in try inner.names(where: { _ in true }) { try share(name, in: inner, depth: depth + 1) }
    }

    /// Merges a folder into one that is there.
    private mutating func merge(
        _ name: [UInt8], from source: borrowing Folder, to target: borrowing Folder
    ) throws(DocumentError) {
        try moveEntries(of: try Folder(name, in: source), to: try Folder(entering: name, in: target))
        do throws(SystemError) { try Entry.remove(name.cString, in: source.number, isDirectory: true) } catch {
            // It stays if an entry does, which has its own reason, or with the key-value store. A file may have come since.
            if error != .noEntry, result.left.isEmpty, name != Array(ContainerScope.ownName.utf8) {
                result.left.append(DocumentError("cannot remove", source.text(name), error))
            }
        }
    }

    // MARK: Two files of one name

    /// Removes a file whose contents the container has, or moves it to the name of a conflict version there.
    private mutating func keep(
        _ name: [UInt8], from source: borrowing Folder, beside other: [UInt8], in target: borrowing Folder
    ) throws(DocumentError) {
        guard let own = try source.read(name) else { return }
        // A conflict version has no versions of its own, but those of its file.
        let original = ConflictName(name)?.original ?? other
        var known = [other]
        known += try FileVersion.conflictNames(of: original, in: target)
        for entry in known where try target.status(of: entry)?.size == Int64(own.bytes.count) {
            guard try target.read(entry)?.bytes == own.bytes else { continue }
            return try ContainerMover.remove(name, own.stamp, from: source)
        }
        let version = try moveToVersion(name, from: source, of: original, in: target)
        result.versions.append(FilePath(bytes: DocumentPath.join(target.path, version)))
    }

    private func moveToVersion(
        _ name: [UInt8], from source: borrowing Folder, of original: [UInt8], in target: borrowing Folder
    ) throws(DocumentError) -> [UInt8] {
        for version in VersionNames(of: original, device: try DeviceIdentifier.current().text) {
            do throws(DocumentError) {
                try Relocation.move(name, in: source, to: version.bytes, in: target)
                try ContainerMover.share(version.bytes, in: target)
                return version.bytes
            } catch {
                // Another version has this name.
                if error.code != .exists { throw error }
            }
        }
        throw DocumentError(
            code: .invalidName, message: "cannot move \(source.text(name)): a conflict version could have no name",
            path: source.text(name))
    }

    private static func remove(
        _ name: [UInt8], _ stamp: FileStamp, from source: borrowing Folder
    ) throws(DocumentError) {
        try source.lock(timeout: DocumentLimits.lockTimeout)
        defer { source.unlock() }
        guard let now = try source.status(of: name), FileStamp(now).hasSameContents(as: stamp) else {
            throw DocumentError(
                code: .busy, message: "\(source.text(name)) has changed since it was compared, and stays",
                path: source.text(name))
        }
        try source.remove(name)
    }
}
