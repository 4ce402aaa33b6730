// Text derived from names and paths.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Text derived from names and paths. Predicates and answers use the same functions, so that they agree.
package enum DerivedText {
    /// The top-level directory of the documents scope.
    package static let documents = "Documents"

    /// The text behind the last dot of a name; nil where there is no dot or no text behind it.
    package static func fileExtension(of name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot + 1 < name.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: name[(dot + 1)...])
    }

    /// Whether a name begins with a dot.
    package static func isHidden(_ name: UnsafeRawBufferPointer) -> Bool { name.first == UInt8(ascii: ".") }

    /// Whether a name has the form of a conflict version's.
    static func isConflictName(_ name: UnsafeRawBufferPointer) -> Bool {
        ConflictName.insertion(in: name.assumingMemoryBound(to: UInt8.self).span) != nil
    }

    /// The path of the file that a conflict version belongs to, from the version's own; nil if the name does not have the form.
    package static func conflictOf(path: [UInt8]) -> [UInt8]? {
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        guard let name = ConflictName(path[start...]) else { return nil }
        return path[..<start] + name.original
    }

    /// The depth of a path from the container's root: 1 at the top.
    package static func depth(ofPath path: some Sequence<UInt8>) -> Int {
        path.reduce(1) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 }
    }

    /// Whether a path from the container's root lies below its `Documents` directory.
    package static func isInDocuments(_ path: [UInt8]) -> Bool {
        path.count > documents.utf8.count && path.starts(with: documents.utf8)
            && path[documents.utf8.count] == UInt8(ascii: "/")
    }
}
