// The copies that a merge tool works on.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import Glibc
internal import LinuxSystem

/// Copies of a file and of one or two versions in conflict with it, in a temporary directory of this user. A merge tool works on them, so
/// a tool that fails, or is killed while it writes, changes no file. The directory stays wherever it holds text of the user.
struct MergeFiles {
    private let original: [UInt8]
    private let directory: [UInt8]
    /// The copies: that of the file, then those of the versions.
    private let paths: [[UInt8]]
    /// Their contents before; nil for a file that is missing.
    private let before: [[UInt8]?]

    /// Makes the copies. They have the names of the originals, since tools choose modes by their ending.
    init(_ original: [UInt8], _ current: GatherDocuments.FileVersion?, _ versions: [GatherDocuments.FileVersion]) throws
    {
        self.original = original
        before = try [current?.contents()] + versions.map { version throws(DocumentError) in try version.contents() }
        let parent = getenv("TMPDIR").flatMap { $0.pointee == 0 ? nil : String(cString: $0) } ?? "/tmp"
        var template = Array(parent.utf8CString.dropLast()) + "/gather-merge-XXXXXX".utf8CString
        guard mkdtemp(&template) != nil else {
            throw Failure("no directory can be made in \(parent): \(String(cString: strerror(errno)))")
        }
        let directory = template.dropLast().map { UInt8(bitPattern: $0) }
        self.directory = directory
        paths = ([original] + versions.map(\.path.bytes)).map { path in
            directory + path[(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)...]
        }
        for (path, bytes) in zip(paths, before) {
            guard let bytes else { continue }
            do throws(SystemError) {
                let file = try Entry.openForWriting(
                    path.map { CChar(bitPattern: $0) } + [0], mode: 0o600, truncate: true, exclusive: true)
                try file.writeAll(bytes)
            } catch {
                remove()
                throw Failure("\(DisplayText.escaped(path)) cannot be written: \(error)")
            }
        }
    }

    /// The contents of the file that are merged; nil if it is missing.
    var former: [UInt8]? { before[0] }

    /// Runs the tool: with the file and the version, or with the file between two versions. Returns the merged contents.
    ///
    /// - Throws: ``Failure`` if the file is not merged then. The copies stay if the tool has saved something.
    func run(_ tool: [[UInt8]]) throws -> [UInt8] {
        let order = paths.count == 2 ? paths : [paths[1], paths[0], paths[2]]
        let status: Int32
        do throws(ChildCommand.StartError) {
            status = try ChildCommand.runBlocking(tool + order)
        } catch {
            remove()
            throw error.failure
        }
        let after: [[UInt8]?]
        do {
            after = try paths.map { path in
                try GatherDocuments.FileVersion.current(of: FilePath(bytes: path))?.contents()
            }
        } catch {
            throw Failure("\(DisplayText.escaped((error as? DocumentError)?.message ?? "\(error)")). \(left)")
        }
        guard let fault = MergeFiles.fault(status, before, after) else { return after[0] ?? [] }
        let hasText = zip(before, after).contains { $0 != $1 && $1?.isEmpty == false }
        if !hasText { remove() }
        throw Failure(
            status: status == 0 ? ExitStatus.failure : status,
            "\(DisplayText.escaped(original)) is still in conflict: \(fault)" + (hasText ? ". \(left)" : ""))
    }

    /// Returns the reason why the file is not merged; nil if it is. Status 0 alone proves nothing: meld(1) ends with it
    /// whatever its user did. New times prove nothing either, since tools save contents without a change.
    private static func fault(_ status: Int32, _ before: [[UInt8]?], _ after: [[UInt8]?]) -> String? {
        guard status == 0 else { return "the tool ended with status \(status)" }
        guard let merged = after[0] else {
            return before[0] == nil ? "the tool did not make it" : "the tool removed it"
        }
        guard before.dropFirst().elementsEqual(after.dropFirst()) else { return "the tool changed a version, too" }
        guard merged != before[0] else { return "the tool did not change it" }
        return merged.isEmpty ? "the tool left it empty" : nil
    }

    /// The sentence that says where the text of the tool is.
    var left: String { "Its text is in \(DisplayText.escaped(directory))" }

    /// Removes the copies. The directory stays if the tool has put other files there.
    func remove() {
        for path in paths { FilePlace.withCString(path) { _ = unlink($0) } }
        FilePlace.withCString(directory) { _ = rmdir($0) }
    }
}
