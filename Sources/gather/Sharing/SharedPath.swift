// Paths of shared items, which need not be here.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Paths of shared items, which need not be here.
enum SharedPath {
    /// Returns the absolute path of an argument. Only the directory has to exist.
    static func absolute(_ argument: String) throws(Failure) -> String {
        guard !argument.isEmpty else { throw Failure("the path is empty") }
        if argument.hasPrefix("/") { return argument }
        guard let directory = getcwd(nil, 0) else {
            throw Failure("the working directory cannot be found: \(String(cString: strerror(errno)))")
        }
        defer { free(directory) }
        var parts: [Substring] = []
        for part in (String(cString: directory) + "/" + argument).split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
