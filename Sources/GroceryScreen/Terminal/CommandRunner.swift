// Commands of grocery that a person runs from the view.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import GroceryModel

/// Runs commands of grocery on the list of the view, in a shell, so that a command may have pipes and redirections.
struct CommandRunner: Sendable {
    private let container: String
    private let list: String
    private let socket: String

    init(_ list: GroceryList) {
        container = list.container.identifier.rawValue
        self.list = list.listName ?? ""
        socket = list.container.daemon.path
    }

    /// Its arguments are the program, the container, the list, the socket and the command. A shell of its own runs the command, so
    /// that an error of syntax can be read, too.
    private static let script = """
        export GROCERY_PROGRAM="$1" GROCERY_CONTAINER="$2" GROCERY_LIST="$3" GATHER_SOCKET="$4"
        sh -c 'grocery() { "$GROCERY_PROGRAM" "$@"; }
        grocery '"$5"
        status=$?
        printf '\\nEnter returns to the list. '
        read -r _
        exit $status
        """

    /// Returns a command in which `#` begins a tag, and no comment of the shell.
    static func escapingTags(_ line: String) -> String {
        var (escaped, quote, former) = ("", nil as Character?, " " as Character)
        for character in line {
            if quote == nil, character == "#", former.isWhitespace { escaped += "\\" }
            if character == quote {
                quote = nil
            } else if quote == nil, former != "\\", character == "'" || character == "\"" {
                quote = character
            }
            escaped.append(character)
            former = character
        }
        return escaped
    }

    /// Runs a command, and waits for a key. The terminal must be the shell's meanwhile. Returns the reason of a failure.
    func run(_ line: String) -> String? {
        let name = "grocery "
        let line = line.hasPrefix(name) ? String(line.dropFirst(name.count)) : line
        do {
            let status = try EditorProcess.run([
                CommandRunner.script, "grocery", "/proc/\(getpid())/exe", container, list, socket,
                CommandRunner.escapingTags(line),
            ])
            return status == 0 ? nil : "The command ended with status \(status)"
        } catch {
            return ListWorker.failure(error).message
        }
    }
}
