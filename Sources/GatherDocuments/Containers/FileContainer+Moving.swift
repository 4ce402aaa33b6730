// Moving files into a container and out of it.
// SPDX-License-Identifier: Apache-2.0

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
    ///   - path: The path, as bytes.
    ///   - folder: The names of the folder from the container's own directory down. Missing folders are made.
    ///   - name: The new name; nil for the present one.
    /// - Returns: The new path, as bytes.
    /// - Throws: ``DocumentError/Code/exists`` if an entry has that name, ``DocumentError/Code/nameDiffersInCase`` if one has it in
    ///   other case, ``DocumentError/Code/inConflict`` for a file with conflict versions, which would stay behind,
    ///   ``DocumentError/Code/specialFile`` for a socket, a device or a FIFO on another file system, and
    ///   ``DocumentError/Code/busy`` if another program changes it.
    @discardableResult
    public func moveIn(
        _ path: [UInt8], to folder: [String] = ["Documents"], as name: [UInt8]? = nil
    ) throws(DocumentError) -> [UInt8] {
        let source = try DocumentPath(path, isVersion: true)
        let name = name ?? source.name
        let target = try DocumentPath(name)
        guard target.name == name else {
            throw DocumentError(
                code: .invalidName, message: "'\(String(decoding: name, as: UTF8.self))' is a path, and not a name",
                path: source.text)
        }
        try target.requireDocument()
        let from = try Folder(source.folder)
        try requireWhole(source.name, in: from)
        let to = try openFolder(folder)
        try Relocation.move(source.name, in: from, to: name, in: to)
        return DocumentPath.join(to.path, name)
    }

    /// Moves a file, a folder or a package into the container. See ``moveIn(_:to:as:)-([UInt8],_,_)``.
    @discardableResult
    public func moveIn(
        _ path: String, to folder: [String] = ["Documents"], as name: String? = nil
    ) throws(DocumentError) -> String {
        String(decoding: try moveIn(Array(path.utf8), to: folder, as: name.map { Array($0.utf8) }), as: UTF8.self)
    }

    /// Moves a file, a folder or a package out of the container, to any file system, as ``moveIn(_:to:as:)-([UInt8],_,_)`` does.
    ///
    /// - Parameters:
    ///   - path: The path in the container, as bytes.
    ///   - target: The new path, as bytes. Its folder has to be there.
    /// - Throws: ``DocumentError/Code/invalidName`` if the path is not in the container. The errors of moving in.
    public func moveOut(_ path: [UInt8], to target: [UInt8]) throws(DocumentError) {
        let source = try DocumentPath(path, isVersion: true)
        try requireFilesHere()
        try requireInside(source)
        let target = try DocumentPath(target)
        let from = try Folder(source.folder)
        try requireWhole(source.name, in: from)
        try Relocation.move(source.name, in: from, to: target.name, in: Folder(target.folder))
    }

    /// Moves a file, a folder or a package out of the container. See ``moveOut(_:to:)-([UInt8],_)``.
    public func moveOut(_ path: String, to target: String) throws(DocumentError) {
        try moveOut(Array(path.utf8), to: Array(target.utf8))
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
        let prefix = Array((data + "/").utf8)
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
