// Text that is read out of a name or a path, as every part of the daemon has to read it.
// SPDX-License-Identifier: Apache-2.0

/// What is read out of names and paths. Whoever writes items uses these too, so that what a predicate sees and what a
/// caller gets are the same.
package enum DerivedText {
    /// The top-level directory that the documents scope lies below.
    package static let documents = "Documents"

    /// What follows the last dot of a name; nil where there is no dot, or nothing behind it.
    package static func fileExtension(of name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot + 1 < name.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: name[(dot + 1)...])
    }

    /// Whether a name begins with a dot.
    package static func isHidden(_ name: UnsafeRawBufferPointer) -> Bool { name.first == UInt8(ascii: ".") }

    /// How many directories deep a path from the container's root lies: 1 at the top.
    package static func depth(ofPath path: some Sequence<UInt8>) -> Int {
        path.reduce(1) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 }
    }

    /// Whether a path from the container's root lies below its `Documents` directory.
    package static func isInDocuments(_ path: [UInt8]) -> Bool {
        path.count > documents.utf8.count && path.starts(with: documents.utf8)
            && path[documents.utf8.count] == UInt8(ascii: "/")
    }
}
