// The files of this repository, as tests read them.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The sources that the tests were built from.
package enum SourceTree {
    /// The directory of Package.swift, without a slash at the end. Symbolic links are resolved, since a package of links
    /// (Packaging/dev/linked-package) has these sources too.
    package static let root: String = {
        var url = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<3 { url.deleteLastPathComponent() }
        let path = url.path(percentEncoded: false)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }()

    /// Returns the text of a file, by its path from the root. Throws where it cannot be read.
    package static func text(_ path: String) throws -> String {
        try String(contentsOf: URL(filePath: root + "/" + path), encoding: .utf8)
    }

    /// Returns the paths of all files below a directory, both from the root, in alphabetical order.
    package static func files(below directory: String) -> [String] {
        guard let paths = FileManager.default.enumerator(atPath: root + "/" + directory) else { return [] }
        return paths.compactMap { $0 as? String }.map { directory + "/" + $0 }.sorted()
    }
}
