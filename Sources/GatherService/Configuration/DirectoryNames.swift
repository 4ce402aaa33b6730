// Lists small directories of configuration files. FileWatching reads the trees.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemPackage

/// Lists small directories.
enum DirectoryNames {
    /// Returns the names in a directory, sorted, without those that are not UTF-8.
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
