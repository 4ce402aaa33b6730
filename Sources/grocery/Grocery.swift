// A shared grocery list, kept as one file an item, on nothing but the public client of Gather.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct Grocery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grocery",
        abstract: "A shared grocery list that stays live.",
        discussion: """
            Each item is a file in the Documents folder of a container that gatherd watches; whoever may write there shares \
            the list. An item is named by any part of its name or identifier that only it has.

            EXAMPLES
              grocery add Milk "Rye bread" --tag breakfast
              grocery list --tag breakfast
              grocery rename milk "Oat milk"
              grocery tag bread urgent
              grocery remove milk
              grocery watch

            ENVIRONMENT
              GROCERY_CONTAINER  the container's identifier; without it, grocery
              GATHER_SOCKET      the daemon's socket
            """,
        version: "grocery 0.1.0",
        subcommands: [
            AddCommand.self, ListCommand.self, RenameCommand.self, TagCommand.self, UntagCommand.self,
            RemoveCommand.self, ShowCommand.self, WatchCommand.self,
        ])
}

@main
enum Main {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT) { _ in _exit(130) }
        do {
            var command = try Grocery.parseAsRoot()
            do {
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch let problem as Problem {
                Output.note(problem.message)
                exit(problem.status)
            } catch let error as GatherError {
                Output.note(error.message)
                exit(Problem.status(of: error))
            }
        } catch {
            Grocery.exit(withError: error)
        }
    }
}

/// What is wrong with what was asked, in words for whoever asked.
struct Problem: Error {
    let message: String
    var status: Int32 = 1

    init(_ message: String, status: Int32 = 1) {
        self.message = message
        self.status = status
    }

    /// EX_UNAVAILABLE of sysexits(3) where the daemon is away.
    static func status(of error: GatherError) -> Int32 { error.code == .unreachable ? 69 : 1 }
}
