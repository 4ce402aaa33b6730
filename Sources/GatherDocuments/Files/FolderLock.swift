// The lock of a folder, for applications.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The advisory lock of a folder, for an application that makes several saves one step. It lasts as long as this object.
package final class FolderLock: Sendable {
    private let folder: Folder

    /// Opens a folder. ``attempt()`` locks it.
    package init(_ path: String) throws(DocumentError) { folder = try Folder(Array(path.utf8)) }

    /// Takes the lock. Returns false while another process or object has it.
    package func attempt() throws(DocumentError) -> Bool {
        do throws(DocumentError) {
            try folder.lock(timeout: .zero, isNeeded: true)
            return true
        } catch {
            guard error.code == .locked else { throw error }
            return false
        }
    }
}
