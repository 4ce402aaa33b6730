// The path of a document: its folder and its name, as bytes.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

/// The path of a document, as the folder and the name in it. Paths are bytes, since file names need not be UTF-8.
struct DocumentPath: Sendable, Hashable {
    /// The path of the folder.
    let folder: [UInt8]
    /// The name in the folder.
    let name: [UInt8]

    /// Splits a path at its last slash. The path of a conflict version may be longer.
    ///
    /// - Throws: ``DocumentError/Code/invalidName`` for an empty name, `.` and `..`, and for one that is too long for conflict versions.
    init(_ path: FilePath, isVersion: Bool = false) throws(DocumentError) {
        try self.init(path.bytes, isVersion: isVersion)
    }

    /// Splits the bytes of a path. A NUL in them is refused, too.
    init(_ path: [UInt8], isVersion: Bool = false) throws(DocumentError) {
        var end = path.count
        while end > 1, path[end - 1] == UInt8(ascii: "/") { end -= 1 }
        let slash = path[..<end].lastIndex(of: UInt8(ascii: "/"))
        name = Array(path[(slash.map { $0 + 1 } ?? 0)..<end])
        folder = slash.map { $0 == 0 ? [UInt8(ascii: "/")] : Array(path[..<$0]) } ?? [UInt8(ascii: ".")]
        let text = String(decoding: path, as: UTF8.self)
        func invalid(_ reason: String) -> DocumentError {
            DocumentError(code: .invalidName, message: "'\(text)' cannot be a document: \(reason)", path: text)
        }
        guard !name.isEmpty, name != Array(".".utf8), name != Array("..".utf8) else {
            throw invalid("the path has no file name")
        }
        guard isVersion || !SyncthingName.isTemporary(name) else {
            throw invalid(SyncthingName.refusal)
        }
        guard !path.contains(0) else { throw invalid("the path has a NUL") }
        guard isVersion || name.count <= DocumentLimits.nameBytes else {
            throw invalid(
                "its name has \(name.count) bytes, and \(DocumentLimits.nameBytes) are the most that leave room for the names "
                    + "of conflict versions")
        }
    }

    /// Refuses the name of a conflict version: a conflict of one could not be kept under a name of its own, and Syncthing keeps none.
    func requireDocument() throws(DocumentError) {
        guard ConflictName(name) == nil else {
            throw DocumentError(
                code: .invalidName, message: "'\(text)' cannot be a document: it is a conflict version of another file",
                path: text)
        }
    }

    /// The whole path.
    var bytes: [UInt8] { DocumentPath.join(folder, name) }

    /// The whole path as text, with U+FFFD for invalid UTF-8.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func join(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
        folder.last == UInt8(ascii: "/") ? folder + name : folder + [UInt8(ascii: "/")] + name
    }
}

extension [UInt8] {
    /// The bytes as a C string.
    var cString: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}
