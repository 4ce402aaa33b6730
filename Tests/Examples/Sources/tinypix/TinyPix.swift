// TinyPix: pictures of 8 by 8 pixels, with a tint that all machines share.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments

@main struct TinyPix {
    static let usage = """
        usage: tinypix CONTAINER [list | watch]  shows the pictures, the newest first, once or after each change
               tinypix CONTAINER show NAME       draws a picture
               tinypix CONTAINER edit NAME       changes or makes a picture, with lines such as 'a1 h8', 'undo' or 'redo'
               tinypix CONTAINER tint [TINT]     shows or sets the tint of all pictures
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
        let counts = ["list": 1...2, "watch": 2...2, "show": 3...3, "edit": 3...3, "tint": 2...3]
        guard counts[command]?.contains(arguments.count) == true else {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(64)
        }
        let gallery = try await Gallery(container: ContainerIdentifier(arguments[0]))
        switch (command, arguments.dropFirst(2).first) {
        case ("tint", nil): show([gallery.tint])
        case ("tint", let tint?): try await gallery.setTint(tint)
        case ("show", let name?):
            let picture = try gallery.picture(name)
            try await picture.open()
            try await gallery.draw(picture, live: false)
        case (_, let name?): try await gallery.edit(gallery.picture(name))
        default: try await gallery.list(live: command == "watch")
        }
    }

    static func show(_ lines: [String]) {
        let text = Data(lines.map { $0 + "\n" }.joined().utf8)
        // SwiftNIO ignores SIGPIPE, so a closed pipe is an error.
        do { try FileHandle.standardOutput.write(contentsOf: text) } catch { exit(1) }
    }

    static func warn(_ message: String) { FileHandle.standardError.write(Data("tinypix: \(message)\n".utf8)) }
}
