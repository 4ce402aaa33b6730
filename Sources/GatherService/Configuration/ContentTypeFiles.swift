// Where the shared MIME-info database lies on this machine, and how it is read.
// SPDX-License-Identifier: Apache-2.0

package import ContentTypes
import Glibc
import LinuxSystem

/// The files of the shared MIME-info database: in `mime` below each of the directories for data (XDG Base Directory
/// Specification), the first being the one that decides.
package enum ContentTypeFiles {
    /// No database has files of this size; what is beyond is not read.
    static let largestFile = 16 << 20

    /// The directories for the system or, with what is in their home directory, for a user. To be asked before other
    /// threads exist.
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
        // Relative ones are to be ignored.
        return directories.filter { $0.utf8.first == UInt8(ascii: "/") }
    }

    /// Reads the database; one that is not there knows no types.
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
