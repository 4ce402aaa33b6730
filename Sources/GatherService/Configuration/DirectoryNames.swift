// The names in a small directory, for configuration; trees are read by FileWatching.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemPackage

/// Lists small directories.
enum DirectoryNames {
    /// The names in a directory, sorted; those that are not UTF-8 are left out.
    static func sorted(in directory: String) throws(Errno) -> [String] {
        guard let stream = opendir(directory) else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
