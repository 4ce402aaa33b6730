// Moving files into a container and out of it.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import LinuxSystem
internal import Metadata

extension FileContainer {
    /// Moves a file, a folder or a package into the container, from any file system. It keeps its mode, times, extended attributes, and
    /// its owner where that is permitted. Blocks the thread; from another file system it costs a copy.
    ///
    /// A reader sees the whole or nothing. If the process is killed, the entry is whole at the old place or at the new
    /// one. If another program changes entries of a tree after they were copied, these stay at the old place.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - folder: The names of the folder from the container's own directory down. Missing folders are made.
    ///   - name: The new name; nil for the present one.
    /// - Returns: The new path.
    /// - Throws: ``DocumentError/Code/exists`` if an entry has that name, ``DocumentError/Code/nameDiffersInCase`` if one has it in
    ///   other case, ``DocumentError/Code/inConflict`` for a file with conflict versions, which would stay behind,
    ///   ``DocumentError/Code/specialFile`` for a socket, a device or a FIFO on another file system, and
    ///   ``DocumentError/Code/busy`` if another program changes it.
    @discardableResult
    public func moveIn(
        _ path: FilePath, to folder: [String] = ["Documents"], as name: FilePath.Component? = nil
    ) throws(DocumentError) -> FilePath {
        let source = try DocumentPath(path, isVersion: true)
        let name = name?.bytes ?? source.name
        try DocumentPath(name).requireDocument()
        let from = try Folder(source.folder)
        try requireWhole(source.name, in: from)
        let to = try openFolder(folder)
        try Relocation.move(source.name, in: from, to: name, in: to)
        return FilePath(bytes: DocumentPath.join(to.path, name))
    }

    /// Moves a file, a folder or a package out of the container, to any file system, as ``moveIn(_:to:as:)`` does.
    ///
    /// - Parameters:
    ///   - path: The path in the container.
    ///   - target: The new path. Its folder has to be there.
    /// - Throws: ``DocumentError/Code/invalidName`` if the path is not in the container. The errors of moving in.
    public func moveOut(_ path: FilePath, to target: FilePath) throws(DocumentError) {
        let source = try DocumentPath(path, isVersion: true)
        try requireFilesHere()
        try requireInside(source)
        let target = try DocumentPath(target)
        let from = try Folder(source.folder)
        try requireWhole(source.name, in: from)
        try Relocation.move(source.name, in: from, to: target.name, in: Folder(target.folder))
    }

    /// Refuses an entry whose other versions would stay behind. A save that was killed is completed first.
    private func requireWhole(_ name: [UInt8], in folder: borrowing Folder) throws(DocumentError) {
        guard let status = try folder.status(of: name) else {
            throw DocumentError("cannot move", folder.text(name), .noEntry)
        }
        if !status.isDirectory { try folder.completeSave(of: name) }
        let conflicts = try FileVersion.conflictNames(of: name, in: folder).count
        guard conflicts == 0 else {
            throw DocumentError(
                code: .inConflict,
                message:
                    "cannot move \(folder.text(name)): versions in conflict with it would stay behind (\(conflicts)). "
                    + "Resolve them first",
                path: folder.text(name))
        }
    }

    /// Refuses a path that does not lead into the container, and one of Gather's own files.
    private func requireInside(_ path: DocumentPath) throws(DocumentError) {
        let prefix = DocumentPath.join(data.bytes, [])
        let parts =
            path.bytes.starts(with: prefix) ? path.bytes[prefix.count...].split(separator: UInt8(ascii: "/")) : []
        let names = parts.map { String(decoding: $0, as: UTF8.self) }
        guard let first = names.first, first != ContainerScope.ownName, !names.contains("..") else {
            throw DocumentError(
                code: .invalidName, message: "\(path.text) is not in the container '\(identifier)'", path: path.text)
        }
    }
}

extension Folder {
    /// Completes the save of a document or a package that a killed process left, if there is one.
    func completeSave(of name: [UInt8]) throws(DocumentError) {
        let isFile = try status(of: SaveName.complete.of(name))?.type == .regular
        let isPackage = isFile ? false : try PackageSaver.hasRemains(of: name, in: self)
        guard isFile || isPackage else { return }
        // Opened anew, since a saver takes its folder.
        let folder = try Folder([UInt8(ascii: ".")], in: self, path: path)
        try folder.lock(timeout: DocumentLimits.lockTimeout)
        let device = try DeviceIdentifier.current()
        if isFile {
            try FileSaver(folder, name: name, device: device).recover()
        } else {
            try PackageSaver(folder, name: name, device: device).recover()
        }
    }
}
