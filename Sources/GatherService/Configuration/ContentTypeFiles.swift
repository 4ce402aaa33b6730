// Finds and reads the shared MIME-info database.
// SPDX-License-Identifier: Apache-2.0

package import ContentTypes
import Glibc
import LinuxSystem

/// The files of the shared MIME-info database, in `mime` below each data directory (XDG Base Directory Specification).
/// Earlier directories take precedence.
package enum ContentTypeFiles {
    /// The limit of bytes read from one file. Real databases are far smaller.
    static let largestFile = 16 << 20

    /// Returns the data directories for the system or for a user. A user has one in the home directory too. Must be
    /// called before other threads exist, since it reads the environment.
    package static func directories(isSystem: Bool) -> [String] {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        var directories = (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(
            String.init)
        if !isSystem {
            if let own = value("XDG_DATA_HOME") ?? value("HOME").map({ $0 + "/.local/share" }) {
                directories.insert(own, at: 0)
            }
        }
        // The specification says to ignore relative paths.
        return directories.filter { $0.utf8.first == UInt8(ascii: "/") }
    }

    /// Reads the database. A missing one has no types.
    package static func read(_ directories: [String]) -> ContentTypeDatabase {
        ContentTypeDatabase(
            directories.map { directory in
                ContentTypeDatabase.Source(
                    globs: contents(directory + "/mime/globs2"), subclasses: contents(directory + "/mime/subclasses"),
                    aliases: contents(directory + "/mime/aliases"))
            })
    }

    private static func contents(_ path: String) -> [UInt8] {
        guard let file = try? Entry.openForReading(path), let size = try? file.size(), size <= largestFile else {
            return []
        }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = (try? bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }) ?? 0
        return Array(bytes.prefix(count))
    }
}
