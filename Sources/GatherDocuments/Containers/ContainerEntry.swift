// An entry of a container, as it is listed.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import LinuxSystem
internal import Metadata

/// An entry of a container's folder.
public struct ContainerEntry: Sendable, Hashable, Identifiable {
    /// The kind of an entry.
    public enum Kind: Sendable, Hashable {
        /// A file.
        case file
        /// A folder or a package.
        case folder
        /// A symbolic link, which is not followed.
        case symbolicLink
        /// A socket, a device or a FIFO.
        case other
    }

    /// The path.
    public let path: FilePath
    /// The kind.
    public let kind: Kind
    /// The size in bytes.
    public let size: Int64
    /// The time of the last change of the contents.
    public let modified: Timestamp
    /// The name of a conflict version, which is a regular file; nil for another entry.
    public let conflict: ConflictName?

    /// The name for people, with U+FFFD for invalid UTF-8.
    public var name: String { path.lastComponent?.string ?? "" }
    /// The path.
    public var id: FilePath { path }

    init(_ folder: [UInt8], _ name: [UInt8], _ status: EntryStatus, isArchived: Bool) {
        path = FilePath(bytes: DocumentPath.join(folder, name))
        kind =
            switch status.type {
            case .regular: .file
            case .directory: .folder
            case .symlink: .symbolicLink
            default: .other
            }
        size = status.size
        modified = Timestamp(seconds: status.modified.seconds, nanoseconds: Int64(status.modified.nanoseconds))
        conflict = kind == .file && !isArchived ? ConflictName(name) : nil
    }
}

extension FileContainer {
    /// Returns the entries of a folder, in the order of their names' bytes. Files that are being saved or replicated are left out.
    /// A missing folder has no entries. Symbolic links are not followed. Complexity: O(n log n), with a system call for each entry.
    ///
    /// - Parameters:
    ///   - scope: The part of the container.
    ///   - folder: The folder's names from the scope's own folder down.
    public func entries(
        of scope: ContainerScope = .documents, in folder: [String] = []
    ) throws(DocumentError) -> [ContainerEntry] {
        try requireNames(folder)
        var open = try Folder(data.bytes)
        for name in scope.folder + folder {
            let name = Array(name.utf8)
            guard try open.status(of: name) != nil else { return [] }
            open = try Folder(entering: name, in: open)
        }
        var entries: [ContainerEntry] = []
        let isArchived = open.isArchived
        let names = try open.names(where: { _ in true }).sorted { $0.lexicographicallyPrecedes($1) }
        for name in names where !SyncthingName.isTemporary(name) && (!folder.isEmpty || scope.has(name)) {
            guard let status = try open.status(of: name) else { continue }
            entries.append(ContainerEntry(open.path, name, status, isArchived: isArchived))
        }
        return entries
    }
}
