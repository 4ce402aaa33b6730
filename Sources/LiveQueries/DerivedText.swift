// Text derived from names and paths.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

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

    /// Whether a name is that of a conflict version.
    package static func isConflictVersion(_ name: UnsafeRawBufferPointer) -> Bool {
        ConflictName.insertion(in: name.assumingMemoryBound(to: UInt8.self).span) != nil
    }

    /// A name as that of a conflict version, with its parts; nil if it is none.
    package static func conflictName(_ name: UnsafeRawBufferPointer) -> ConflictName? {
        isConflictVersion(name) ? ConflictName(name) : nil
    }

    /// The device in the name of a conflict version; nil if it names none.
    package static func conflictDevice(_ name: UnsafeRawBufferPointer) -> String? {
        conflictName(name).map(\.device).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The path of the file that a conflict version belongs to, from the version's own; nil if it is none.
    package static func conflictOf(path: [UInt8]) -> [UInt8]? {
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        let name = path[start...]
        guard let added = ConflictName.insertion(in: name.span) else { return nil }
        return Array(path[..<(start + added.lowerBound)] + path[(start + added.upperBound)...])
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
