// The versions of a file: the current one, and those in conflict with it.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import LinuxSystem
internal import SaveFiles

/// A version of a file: the current one, or one that is in conflict with it.
///
/// Where two versions of a file were saved independently, one of them stays current. The other lies beside it as a regular
/// file with the name of a `ConflictName`, until a person or an application has resolved the conflict. All calls block the thread
/// for input and output. Calls that change something hold the advisory lock of the folder.
///
/// ```swift
/// for version in try FileVersion.conflicts(of: path) { print(version.modified, version.author?.name ?? "unknown") }
/// try FileVersion.conflicts(of: path).first?.replaceCurrent()
/// ```
public struct FileVersion: Sendable, Hashable, Identifiable {
    private let pathBytes: [UInt8]
    private let originalPathBytes: [UInt8]
    /// Whether it is in conflict with the current version.
    public let isConflict: Bool
    /// The size in bytes.
    public let size: Int64
    /// The time when its contents were saved.
    public let modified: Timestamp
    /// The device that saved it, as `user.gather.device` says; nil if nothing says so. The device in the name of a conflict
    /// version is another: the one whose version became current.
    public let author: DeviceIdentifier?
    /// The time and the device in the name of a conflict version; nil for the current version.
    public let name: ConflictName?
    /// The file when it was listed. A version is changed only while this is so.
    private let stamp: FileStamp

    /// The path of the version's own file.
    public var path: FilePath { FilePath(bytes: pathBytes) }
    /// The path of the file that it is a version of. It is the version's own path for the current one.
    public var originalPath: FilePath { FilePath(bytes: originalPathBytes) }
    /// The path of the version's own file. A version keeps it until it is resolved.
    public var id: FilePath { path }
    private var pathText: String { String(decoding: pathBytes, as: UTF8.self) }

    private init(
        _ folder: [UInt8], _ original: [UInt8], _ entry: [UInt8], _ status: EntryStatus, _ author: DeviceIdentifier?
    ) {
        pathBytes = DocumentPath.join(folder, entry)
        originalPathBytes = DocumentPath.join(folder, original)
        isConflict = entry != original
        size = status.size
        modified = FileStamp(status).modifiedTime
        self.author = author
        name = entry == original ? nil : ConflictName(entry)
        stamp = FileStamp(status)
    }

    // MARK: Listing

    /// Returns the current version of a file; nil if there is no such file.
    public static func current(of path: FilePath) throws(DocumentError) -> FileVersion? {
        let path = try DocumentPath(path)
        let folder = try Folder(path.folder)
        return try version(path.name, of: path, in: folder)
    }

    /// Returns the conflict versions of a file, the newest first. Several with equal contents count as one, the oldest of them. The
    /// file itself may be missing. Complexity: O(entries of the folder), and the conflict versions of equal size are read.
    public static func conflicts(of path: FilePath) throws(DocumentError) -> [FileVersion] {
        let path = try DocumentPath(path)
        let folder = try Folder(path.folder)
        let versions = try all(of: path, in: folder)
        var sizes: [Int64: Int] = [:]
        for version in versions { sizes[version.size, default: 0] += 1 }
        var distinct: [FileVersion] = []
        // The contents of those that are alone with their size are not read.
        var known: Set<[UInt8]> = []
        for version in versions.reversed() {
            // A version that cannot be read is distinct. The caller that wants its contents reports the reason.
            if sizes[version.size] ?? 0 > 1, let bytes = try? folder.read(version.entry)?.bytes,
                !known.insert(bytes).inserted
            {
                continue
            }
            distinct.append(version)
        }
        return distinct.reversed()
    }

    /// Returns the conflict versions of a file, the newest first, also those with equal contents.
    public static func allConflicts(of path: FilePath) throws(DocumentError) -> [FileVersion] {
        let path = try DocumentPath(path)
        return try all(of: path, in: Folder(path.folder))
    }

    /// Returns the device that saved a file last, as its `user.gather.device` says; nil if nothing says so, or if this user cannot
    /// read it.
    public static func author(of path: FilePath) -> DeviceIdentifier? {
        guard let path = try? DocumentPath(path, isVersion: true), let folder = try? Folder(path.folder) else {
            return nil
        }
        return FileAccessCopy.author(of: path.name, in: folder)
    }

    /// Returns all conflict versions of a file, the newest first.
    static func all(of path: DocumentPath, in folder: borrowing Folder) throws(DocumentError) -> [FileVersion] {
        var versions: [FileVersion] = []
        for entry in try conflictNames(of: path.name, in: folder) {
            guard let version = try version(entry, of: path, in: folder) else { continue }
            versions.append(version)
        }
        return versions.sorted {
            $0.modified == $1.modified
                ? $0.pathBytes.lexicographicallyPrecedes($1.pathBytes) : $0.modified > $1.modified
        }
    }

    /// Returns the names of the conflict versions of a file, in no order.
    static func conflictNames(of name: [UInt8], in folder: borrowing Folder) throws(DocumentError) -> [[UInt8]] {
        try conflictNames(in: folder).filter { $0.original == name }.map(\.bytes)
    }

    /// Returns the names of all conflict versions in a folder, in no order: of regular files outside of archives.
    static func conflictNames(in folder: borrowing Folder) throws(DocumentError) -> [ConflictName] {
        if folder.isArchived { return [] }
        var found: [ConflictName] = []
        for entry in try folder.names(where: { ConflictName.insertion(in: $0) != nil }) {
            guard try folder.status(of: entry)?.type == .regular, let name = ConflictName(entry) else { continue }
            found.append(name)
        }
        return found
    }

    private static func version(
        _ entry: [UInt8], of path: DocumentPath, in folder: borrowing Folder
    ) throws(DocumentError) -> FileVersion? {
        guard let status = try folder.status(of: entry), status.type == .regular else { return nil }
        return FileVersion(path.folder, path.name, entry, status, FileAccessCopy.author(of: entry, in: folder))
    }

    // MARK: Contents

    private var entry: [UInt8] { Array(pathBytes[(pathBytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]) }
    private var original: DocumentPath { get throws(DocumentError) { try DocumentPath(originalPathBytes) } }

    /// Returns the contents of the version.
    ///
    /// - Throws: ``DocumentError/Code/invalidVersion`` if it is gone.
    public func contents() throws(DocumentError) -> [UInt8] {
        try FileVersion.contents(self, Folder(original.folder))
    }

    private static func contents(_ version: FileVersion, _ folder: borrowing Folder) throws(DocumentError) -> [UInt8] {
        guard let file = try folder.read(version.entry) else { throw version.gone }
        return file.bytes
    }

    private var gone: DocumentError {
        DocumentError(code: .invalidVersion, message: "the version \(pathText) is gone", path: pathText)
    }

    /// Makes sure that the file is still the one that was listed.
    private func requireUnchanged(in folder: borrowing Folder) throws(DocumentError) {
        guard let now = try folder.status(of: entry) else { throw gone }
        guard FileStamp(now).hasSameContents(as: stamp) else {
            throw changed
        }
    }

    private var changed: DocumentError {
        DocumentError(
            code: .invalidVersion, message: "the version \(pathText) has changed since it was listed", path: pathText)
    }

    /// Whether two versions are one file with the same contents, under whatever names.
    public func isSameFile(as other: FileVersion) -> Bool { stamp.hasSameContents(as: other.stamp) }

    private func requireConflict(_ operation: String) throws(DocumentError) {
        guard isConflict else {
            throw DocumentError(
                code: .invalidVersion, message: "cannot \(operation) \(pathText): it is the current version",
                path: pathText)
        }
    }

    // MARK: Resolving

    /// Makes this conflict version the current one. The file keeps its mode, owner, extended attributes and item identifier, and
    /// gets the contents and the author of the version. The version itself is gone afterwards.
    ///
    /// - Parameters:
    ///   - former: The fate of the contents that were current until now.
    ///   - lockTimeout: The longest wait for the lock of the folder.
    /// - Returns: The paths of the conflict versions that were made.
    @discardableResult
    public func replaceCurrent(
        keepingFormer former: FormerVersion = .asConflict, lockTimeout: Duration = .seconds(30)
    ) throws(DocumentError) -> [FilePath] {
        try requireConflict("replace the current version by")
        let path = try original
        let folder = try Folder(path.folder)
        try folder.lock(timeout: lockTimeout)
        // The lock ends with the descriptor, on every way out.
        let device: DeviceIdentifier
        if let author { device = author } else { device = try DeviceIdentifier.current() }
        try requireUnchanged(in: folder)
        let version = try FileVersion.contents(self, folder)
        let current = try folder.read(path.name)
        let saver = FileSaver(folder, name: path.name, device: device)
        let kept = try saver.save(version, over: former == .removed ? current : nil, isShared: true).kept
        try saver.end().remove(entry)
        return kept.map { FilePath(bytes: DocumentPath.join(path.folder, $0)) }
    }

    /// The fate of the contents that another version replaces.
    public enum FormerVersion: Sendable, Hashable {
        /// They become a conflict version.
        case asConflict
        /// They are gone.
        case removed
    }

    /// Saves contents that were made from the current version and others, such as those of a merge. The file keeps its mode, owner,
    /// extended attributes and item identifier.
    ///
    /// - Parameters:
    ///   - contents: The new contents.
    ///   - path: The path of the file.
    ///   - current: The current version that was merged; nil if there was no file.
    ///   - merged: The contents of that version as they were merged.
    ///   - trash: The place of the former contents; nil if they are dropped.
    ///   - lockTimeout: The longest wait for the lock of the folder.
    /// - Throws: ``DocumentError/Code/invalidVersion`` if the current version is another by now. Nothing is changed then.
    public static func save(
        _ contents: [UInt8], of path: FilePath, over current: FileVersion?, _ merged: [UInt8]?, trash: Trash?,
        lockTimeout: Duration = .seconds(30)
    ) throws(DocumentError) {
        let path = try DocumentPath(path)
        let folder = try Folder(path.folder)
        try folder.lock(timeout: lockTimeout)
        try current?.requireUnchanged(in: folder)
        try folder.requireWritable(path.name)
        let former = try current == nil ? nil : folder.read(path.name)
        if let current {
            // A program without the lock may have replaced it between the two looks.
            guard let former, former.bytes == merged else { throw current.changed }
            if let trash { try trash.keep(former.bytes, of: current.path) }
        }
        let saver = FileSaver(folder, name: path.name, device: try DeviceIdentifier.current())
        _ = try saver.save(contents, over: former, mustBeNew: current == nil, isShared: true)
    }

    /// Removes this conflict version. The contents are gone. To keep them, use ``Trash`` or ``keepAsFile(lockTimeout:)``.
    public func remove(lockTimeout: Duration = .seconds(30)) throws(DocumentError) {
        try requireConflict("remove")
        let folder = try Folder(original.folder)
        try folder.lock(timeout: lockTimeout)
        try requireUnchanged(in: folder)
        try folder.remove(entry)
    }

    /// Moves this conflict version to the trash of its container.
    @discardableResult
    public func move(to trash: Trash, lockTimeout: Duration = .seconds(30)) throws(DocumentError) -> Trash.Item {
        try requireConflict("move to the trash")
        let folder = try Folder(original.folder)
        try folder.lock(timeout: lockTimeout)
        try requireUnchanged(in: folder)
        return try trash.move(path)
    }

    /// Marks this conflict version as resolved and keeps it: it gets the name of an ordinary file beside the current version, such as
    /// `note (2026-11-25 14.05.09 ABCDEFG).txt`. Returns the new path.
    @discardableResult
    public func keepAsFile(lockTimeout: Duration = .seconds(30)) throws(DocumentError) -> FilePath {
        try requireConflict("keep both versions of")
        guard let name else { throw gone }
        let path = try original
        let folder = try Folder(path.folder)
        try folder.lock(timeout: lockTimeout)
        try requireUnchanged(in: folder)
        let stem = path.name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == 0 ? nil : $0 } ?? path.name.endIndex
        let time = Array(name.time.utf8)
        func part(_ range: Range<Int>) -> String { String(decoding: time[range], as: UTF8.self) }
        let date =
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8)) \(part(9..<11)).\(part(11..<13)).\(part(13..<15))"
        let device = author?.text ?? name.device
        for number in 1...VersionNames.count {
            let label = " (\(date)\(device.isEmpty ? "" : " " + device)\(number == 1 ? "" : " \(number)"))"
            let free = path.name[..<stem] + Array(label.utf8) + path.name[stem...]
            do throws(SystemError) {
                try folder.renameToFree(entry, Array(free))
                return FilePath(bytes: DocumentPath.join(path.folder, Array(free)))
            } catch {
                if error == .noEntry { throw gone }
                if error != .exists { throw DocumentError("cannot keep", pathText, error) }
            }
        }
        throw DocumentError(code: .exists, message: "cannot keep \(pathText): all names are taken", path: pathText)
    }

    /// Keeps contents as a conflict version of a file, such as a change that was made without a connection and cannot be merged.
    ///
    /// - Returns: The path of the version.
    @discardableResult
    public static func add(
        _ contents: [UInt8], to path: FilePath, lockTimeout: Duration = .seconds(30)
    ) throws(DocumentError) -> FilePath {
        let path = try DocumentPath(path)
        let folder = try Folder(path.folder)
        try folder.lock(timeout: lockTimeout)
        let saver = FileSaver(folder, name: path.name, device: try DeviceIdentifier.current())
        return FilePath(bytes: DocumentPath.join(path.folder, try saver.add(contents)))
    }

    /// Removes the conflict versions whose contents equal the current version or a newer conflict version. Returns the
    /// removed ones.
    @discardableResult
    public static func removeIdentical(
        of path: FilePath, lockTimeout: Duration = .seconds(30)
    ) throws(DocumentError) -> [FileVersion] {
        let path = try DocumentPath(path)
        let folder = try Folder(path.folder)
        try folder.lock(timeout: lockTimeout)
        var seen: Set<[UInt8]> = []
        if let current = try folder.read(path.name) { seen.insert(current.bytes) }
        var removed: [FileVersion] = []
        for version in try all(of: path, in: folder) {
            guard let bytes = try folder.read(version.entry)?.bytes else { continue }
            guard !seen.insert(bytes).inserted else { continue }
            try folder.remove(version.entry)
            removed.append(version)
        }
        return removed
    }
}
