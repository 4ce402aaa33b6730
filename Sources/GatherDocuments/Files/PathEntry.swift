// An entry that is looked at by its path, for applications.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// An entry that is looked at by its path. Below a container no symbolic link on the way is followed, and the entry itself never is.
package struct PathEntry: Sendable {
    /// The kind of the entry.
    package let kind: ContainerEntry.Kind
    /// The number of the user who owns it.
    package let owner: UInt32

    /// Returns the path of a folder without symbolic links. Below a container, a link on the path is refused. A link that comes during
    /// the call is not followed.
    package static func resolved(folder path: [UInt8]) throws(DocumentError) -> [UInt8] {
        let folder = try Folder(path, access: .path)
        // The link of an open descriptor is the path of the directory that was opened (proc(5)). A walk on that path could follow a new
        // link.
        return try DocumentError.of("cannot open the folder", String(decoding: path, as: UTF8.self)) {
            () throws(SystemError) in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: DocumentLimits.linkBytes, alignment: 1)
            defer { buffer.deallocate() }
            let count = try Entry.readSymlink("/proc/self/fd/\(folder.number)", into: buffer)
            guard count < buffer.count else { throw .nameTooLong }
            let resolved = Array(buffer[..<count])
            // The link of a removed directory has another end, and that of one on a detached mount is no path.
            guard resolved.first == UInt8(ascii: "/"),
                try folder.descriptor.isEntry(resolved.cString, in: Entry.workingDirectory)
            else { throw .noEntry }
            return resolved
        }
    }

    /// Looks at an entry. Nil if there is none.
    ///
    /// - Throws: ``DocumentError/Code/symbolicLink`` for a link on the way, and other errors if the entry cannot be looked at.
    package init?(_ path: String) throws(DocumentError) {
        let place = try DocumentPath(Array(path.utf8), isVersion: true)
        do throws(DocumentError) {
            guard let status = try Folder(place.folder, access: .path).status(of: place.name) else { return nil }
            kind = ContainerEntry(place.folder, place.name, status, isArchived: false).kind
            owner = status.owner
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}
