// Paths without symbolic links.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// Paths without symbolic links.
enum ResolvedPath {
    /// Returns the path without symbolic links (realpath(3)). If that fails, returns the path without `/` at its end.
    static func of(_ path: String) -> String {
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        var path = Substring(path)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }

    /// Returns the part of `path` below `directory`: empty for the same path, nil for one elsewhere.
    static func below(_ directory: String, _ path: String) -> String? {
        if path == directory { return "" }
        let prefix = directory == "/" ? "/" : directory + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }

    /// Whether a file exists.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether an entry of any kind is at a path, as far as this process can tell.
    static func isEntry(_ path: String) -> Bool {
        (try? ContainerRoots.status(of: path)) != nil
    }

    /// Whether a directory is at a path.
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
