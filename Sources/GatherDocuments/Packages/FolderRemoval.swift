// Removing a folder with everything in it.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

extension Folder {
    /// Removes a folder with everything in it, without following symbolic links and without entering another file system. Does
    /// nothing if there is none. A folder without write permission for its owner gets it.
    func removeTree(_ name: [UInt8], depth: Int = 0) throws(DocumentError) {
        guard let status = try status(of: name) else { return }
        guard status.isDirectory else { return try remove(name) }
        guard depth <= DocumentLimits.removalDepth else {
            throw DocumentError(
                code: .tooDeep,
                message:
                    "cannot remove \(text(name)): more than \(DocumentLimits.removalDepth) folders are in one another",
                path: text(name))
        }
        do throws(DocumentError) {
            if status.mode & 0o700 != 0o700 { try? Entry.setMode(name.cString, in: number, 0o700) }
            let inner = try Folder(name, in: self)
            for entry in try inner.names(where: { _ in true }) { try inner.removeTree(entry, depth: depth + 1) }
        } catch {
            if error.code == .notFound { return }
            throw error
        }
        do throws(SystemError) { try Entry.remove(name.cString, in: number, isDirectory: true) } catch {
            if error != .noEntry { throw DocumentError("cannot remove", text(name), error) }
        }
    }
}
