// An entry that is looked at by its path, for applications.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
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
        // The link of an open descriptor leads to what was opened (proc(5)).
        guard let resolved = realpath("/proc/self/fd/\(folder.number)", nil) else {
            throw DocumentError(
                "cannot open the folder", String(decoding: path, as: UTF8.self), SystemError(code: errno))
        }
        defer { free(resolved) }
        return UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map { UInt8(bitPattern: $0) }
    }

    /// Looks at an entry. Nil if there is none.
    ///
    /// - Throws: ``DocumentError/Code/symbolicLink`` for a link on the way, and other errors if the entry cannot be looked at.
    package init?(_ path: String) throws(DocumentError) {
        let place = try DocumentPath(Array(path.utf8), isVersion: true)
        do throws(DocumentError) {
            guard let status = try Folder(place.folder, access: .path).status(of: place.name) else { return nil }
            kind = ContainerEntry(place.folder, place.name, status).kind
            owner = status.owner
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}
