// Notes: a text file a note, and a star on the one that was edited last, on every machine.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments

@main struct Notes {
    static let usage = """
        usage: notes CONTAINER [list | watch]       shows the notes, once or after each change
               notes CONTAINER show NAME            prints a note
               notes CONTAINER (edit | write) NAME  takes a note's text from $EDITOR or the standard input
               notes CONTAINER conflicts NAME       shows the versions page by page, and keeps one
        """

    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            // An error that leaves `main` would end the program with a trap.
            warn("\(error)")
            exit(1)
        }
    }

    static func run(_ arguments: [String]) async throws {
        let command = arguments.count > 1 ? arguments[1] : "list"
        let takesName = ["show", "edit", "write", "conflicts"].contains(command)
        guard takesName ? arguments.count == 3 : ["list", "watch"].contains(command) && 1...2 ~= arguments.count else {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(64)
        }
        let notes = try await Notebook(container: ContainerIdentifier(arguments[0]))
        guard let name = arguments.dropFirst(2).first else { return try await notes.list(live: command == "watch") }
        let path = try notes.path(of: name)
        switch command {
        case "show":
            guard let version = try FileVersion.current(of: path) else { throw Failure("there is no \(path)") }
            print(try Note(bytes: version.contents()).text, terminator: "")
        case "conflicts": try Pager(path: path, trash: Trash(container: notes.container.data)).run()
        default:
            let input = command == "edit" ? nil : Array(FileHandle.standardInput.readDataToEndOfFile())
            let isInConflict = try await notes.edit(name) { try input.map { try Note(bytes: $0).text } ?? edited($0) }
            if isInConflict { warn("there are several versions. See: notes \(arguments[0]) conflicts \(name)") }
        }
    }

    /// Has the user's editor change a text.
    static func edited(_ text: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "note-\(UUID()).txt").path()
        let access: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: file, contents: Data(text.utf8), attributes: access) else {
            throw Failure("cannot write \(file)")
        }
        setenv("NOTE", file, 1)
        guard system("${VISUAL:-${EDITOR:-vi}} \"$NOTE\"") == 0 else { throw Failure("the editor failed on \(file)") }
        defer { try? FileManager.default.removeItem(atPath: file) }
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    static func show(_ lines: [String], live: Bool = false) {
        print(lines.joined(separator: "\n"), terminator: live ? "\n\n" : "\n")
        // SwiftNIO ignores SIGPIPE, so a closed pipe shows here.
        if fflush(nil) != 0 { exit(1) }
    }

    static func warn(_ message: String) { FileHandle.standardError.write(Data("notes: \(message)\n".utf8)) }

    static func local(_ time: Timestamp?) -> String {
        Date(timeIntervalSince1970: Double(time?.nanoseconds ?? 0) / 1e9).formatted(date: .numeric, time: .standard)
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
