// Folders of a container that several users share.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import LinuxSystem

extension FileContainer {
    /// Returns the path of a folder in the container, and makes its missing folders. A new folder gets the group of the
    /// folder above it, and write permission for the users who may write there. The container's own directory is never
    /// made. Blocks the thread.
    ///
    /// - Parameter names: The folder's names from the container's directory down, such as `["Documents", "Party"]`.
    /// - Throws: ``DocumentError/Code/invalidName`` for a name that is empty, has a slash or is `.` or `..`, and
    ///   ``DocumentError/Code/nameDiffersInCase`` for a new folder beside an entry of that name in other case. A symbolic link in
    ///   place of a folder is refused.
    public func folder(_ names: [String]) throws(DocumentError) -> FilePath {
        FilePath(bytes: try openFolder(names).path)
    }

    /// Opens a folder of the container, and makes its missing folders.
    func openFolder(_ names: [String]) throws(DocumentError) -> Folder {
        try requireNames(names)
        var folder = try Folder(data.bytes)
        for name in names { folder = try Self.openFolder(Array(name.utf8), in: folder) }
        return folder
    }

    private static func openFolder(_ name: [UInt8], in parent: borrowing Folder) throws(DocumentError) -> Folder {
        if try parent.status(of: name) == nil, try parent.makeSharedFolder(name) { return try Folder(name, in: parent) }
        return try Folder(entering: name, in: parent)
    }

    /// Refuses names that are not names of folders, and a container of another machine.
    func requireNames(_ names: [String]) throws(DocumentError) {
        try requireFilesHere()
        for name in names where !ContainerScope.isName(name) {
            throw DocumentError(
                code: .invalidName, message: "a folder of the container '\(identifier)' cannot be named '\(name)'",
                path: data.string)
        }
    }
}

extension Folder {
    /// Makes a folder with the group of this one, writable for the same users. False if an entry has that name by now.
    func makeSharedFolder(_ name: [UInt8]) throws(DocumentError) -> Bool {
        try requireDistinctCase(name)
        do throws(SystemError) {
            try Directory.make(name.cString, in: number, mode: 0o777)
        } catch {
            if error == .exists { return false }
            throw DocumentError("cannot make the folder", text(name), error)
        }
        let made = try Folder(name, in: self)
        try FileAccessCopy.shareWithFolder(self, made.descriptor)
        return true
    }
}
