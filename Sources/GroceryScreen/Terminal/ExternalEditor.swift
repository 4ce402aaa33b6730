// A person's editor, which has the terminal for a while.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GroceryModel

/// A file with the text of an item, for the editor.
struct EditorDraft: Sendable {
    let path: String
    let base: ItemContents
}

enum ExternalEditor {
    /// The largest text that is read back.
    static let largestText = 1 << 24

    /// The editor of the user, else the one that Debian or POSIX has.
    private static var command: String {
        EditorProcess.command ?? (access("/usr/bin/editor", X_OK) == 0 ? "/usr/bin/editor" : "vi")
    }

    /// Writes contents to a new file in a new directory of the user.
    static func makeDraft(_ contents: ItemContents) throws -> EditorDraft {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/grocery-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileSystem.Failure("make a directory in \(parent)") }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = directory + "/item.txt"
        try FileSystem.create(path, contents.bytes)
        return EditorDraft(path: path, base: contents)
    }

    static func removeDraft(_ path: String) {
        unlink(path)
        if let end = path.lastIndex(of: "/") { rmdir(String(path[..<end])) }
    }

    /// Runs the editor and waits for its end. The terminal must be the shell's meanwhile.
    static func edit(_ draft: EditorDraft) -> EditorOutcome {
        do {
            let status = try EditorProcess.run(command, on: draft.path)
            let bytes = try FileSystem.read(draft.path, limit: largestText)
            guard bytes.count <= largestText else { throw FileSystem.Failure("read \(draft.path)", EFBIG) }
            if bytes == (try? draft.base.bytes) {
                removeDraft(draft.path)
                return status == 0 ? .unchanged : .failed("The editor ended with status \(status)")
            }
            guard status == 0 else {
                return .failed(
                    "The editor ended with status \(status) and nothing was saved; e opens the text again: \(draft.path)"
                )
            }
            return .changed(EditedText(bytes: bytes, base: draft.base, path: draft.path))
        } catch {
            return .failed(ListWorker.failure(error).message)
        }
    }
}
