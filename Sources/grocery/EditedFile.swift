// A text in the user's editor.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GroceryModel

/// A temporary file that the user edits. It stays until it is removed, so that no text is lost with an error.
struct EditedFile {
    let path: String

    init(_ text: String) throws(Problem) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((folder + "/grocery-XXXXXX.txt").utf8.map { CChar(bitPattern: $0) } + [0])
        let descriptor = mkstemps(&template, 4)
        guard descriptor >= 0 else {
            throw Problem("cannot make a file in \(folder): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Problem("cannot write \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// Runs the editor to its end.
    func edit() throws {
        let editor = EditorProcess.command ?? "vi"
        guard try EditorProcess.run(editor, on: path) == 0 else {
            throw Problem("nothing is saved, since the editor '\(editor)' ended with an error\(place(nil))")
        }
    }

    /// Returns the text as bytes. One that is too long for an item ends somewhere beyond the limit.
    func bytes() throws(FileSystem.Failure) -> [UInt8] { try FileSystem.read(path, limit: GroceryLimits.fileBytes) }

    /// The sentence that says where the text is; empty if it is gone, such as with an editor that removed the file.
    ///
    /// - Parameter bytes: The text as it was read; nil if it was not.
    func place(_ bytes: [UInt8]?) -> String { FileSystem.keepText(bytes, at: path) ? ". Your text is in \(path)" : "" }

    func remove() { unlink(path) }
}
