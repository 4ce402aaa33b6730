// Replacing a file in one step.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import LinuxSystem

/// Replaces a file so that a reader, a killed process and a loss of power leave the old contents or the new ones, and nothing between:
/// writes a new file beside it, syncs it, renames it and syncs the directory.
///
/// No process that is killed loses contents, but it may leave the new file under its temporary name, where the next one replaces it. To
/// save contents that another program may have changed meanwhile, use the saver of documents.
package enum FileReplacement {
    /// The temporary name of the new file.
    package enum Temporary: Sendable {
        /// A name that one process uses at a time. An entry that has it already is removed first: a killed process left
        /// it, or another user put it there, and must get none of the new contents.
        case named(String)
        /// A name that no other process has: the file's own one with a dot before it and random letters after it. Several processes may
        /// replace the file at once. A killed one leaves its file.
        case random
    }

    /// The mode of a new file until its access is set: no other user may read it.
    private static let privateMode: UInt32 = 0o600
    private static let attempts = 100
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Replaces a file, or makes it.
    ///
    /// - Parameters:
    ///   - path: The file, from the directory on.
    ///   - directory: The open directory from which paths count.
    ///   - temporary: The temporary name. It lies beside the file.
    ///   - ready: Is called when the new file is on disk, before the rename.
    ///   - fill: Writes the contents into the open file, and sets its owner and mode. It has the mode 0600.
    /// - Throws: The error of the call that failed. The old file is as it was, unless the directory could not be synced.
    package static func replace(
        _ path: String, in directory: CInt = Entry.workingDirectory, through temporary: Temporary,
        ready: () throws(SystemError) -> Void = {}, fill: (borrowing Descriptor) throws(SystemError) -> Void
    ) throws(SystemError) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let new = try NewFile(temporary, above: String(path[..<slash]), path[slash...], directory)
        do throws(SystemError) {
            try fill(new.file)
            try new.file.synchronize()
            try ready()
            try Entry.rename(new.path, in: directory, to: path, in: directory)
        } catch {
            try? Entry.remove(new.path, in: directory)
            throw error
        }
        try synchronize(directory, path[..<slash])
    }

    /// Replaces a file, or makes it, with these contents and a mode of 0600.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - temporary: The temporary name. It lies beside the file.
    ///   - bytes: The contents.
    package static func replace(
        _ path: String, through temporary: Temporary, with bytes: [UInt8]
    ) throws(SystemError) {
        try replace(path, through: temporary) { file throws(SystemError) in try file.writeAll(bytes) }
    }

    /// The new file under its temporary name.
    private struct NewFile: ~Copyable {
        let path: String
        let file: Descriptor

        init(
            _ temporary: Temporary, above parent: String, _ name: Substring, _ directory: CInt
        ) throws(SystemError) {
            for _ in 0..<attempts {
                let path =
                    if case .named(let name) = temporary { parent + name } else {
                        "\(parent).\(name).\(NewFile.random)"
                    }
                do throws(SystemError) {
                    file = try Entry.openForWriting(
                        path, in: directory, mode: privateMode, truncate: false, exclusive: true)
                    self.path = path
                    return
                } catch {
                    if error != .exists { throw error }
                }
                if case .random = temporary { continue }
                do throws(SystemError) { try Entry.remove(path, in: directory) } catch {
                    if error != .noEntry { throw error }
                }
            }
            throw .exists
        }

        private static var random: String {
            String(decoding: (0..<6).map { _ in letters[Int.random(in: letters.indices)] }, as: UTF8.self)
        }
    }

    /// Forces the entries of the file's directory to the disk.
    private static func synchronize(_ directory: CInt, _ parent: Substring) throws(SystemError) {
        do throws(SystemError) {
            if directory == Entry.workingDirectory {
                try Directory.open(parent.isEmpty ? "." : String(parent), access: .reading).synchronize()
            } else {
                try Entry.openForReading(parent.isEmpty ? "." : String(parent), in: directory).synchronize()
            }
        } catch {
            // A directory that may be written and not read cannot be opened for fsync(2), and not every file system syncs directories.
            if ![.noAccess, .invalid, .notSupported].contains(error) { throw error }
        }
    }
}
