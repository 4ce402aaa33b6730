// A shared grocery list with one file for each item, on the public libraries of Gather.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import Glibc
internal import GroceryModel
internal import GroceryScreen
internal import LinuxSystem

struct Grocery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grocery",
        abstract: "A shared grocery list that stays live.",
        discussion: """
            Each item is a text file in the Documents folder of a container that gatherd watches. All users who may write there \
            share the list. An item is named by its name, the beginning of its name, or at least 4 characters of the \
            beginning of its identifier.

            EXAMPLES
              grocery init
              grocery add Milk "2 kg flour #market" --tag breakfast
              grocery list --tag breakfast
              grocery buy milk
              grocery rename flour "Rye flour"
              grocery remove rye && grocery undo
              grocery watch

            ENVIRONMENT
              GROCERY_CONTAINER  the container's identifier; without it, grocery
              GROCERY_LIST       the list's name; without it, that of the settings
              GATHER_SOCKET      the daemon's socket
            """,
        version: "grocery 0.2.0",
        subcommands: [
            AddCommand.self, ListCommand.self, ShowCommand.self, TextCommand.self, BuyCommand.self, UnbuyCommand.self,
            RenameCommand.self, TagCommand.self, UntagCommand.self, TagsCommand.self, RemoveCommand.self,
            UndoCommand.self, ImageCommand.self, ConflictsCommand.self, ResolveCommand.self, WatchCommand.self,
            ServeCommand.self, InitCommand.self, ListsCommand.self, ConvertCommand.self, ImportCommand.self,
            ExportCommand.self,
            SettingsCommand.self,
        ])

    @OptionGroup var options: ListOptions

    /// Without a command, a terminal shows the list on its full screen.
    func run() async throws {
        guard GroceryScreen.isPossible else { throw CleanExit.helpRequest(self) }
        let (list, settings) = try await open()
        let end = try await GroceryScreen.run(list: list, settings: settings) { shown in
            // Another command may have changed the others meanwhile.
            var settings = try await ListSettings.read(list.container)
            (settings.sorting, settings.isGrouped) = (shown.sorting, shown.isGrouped)
            try await settings.write(list.container)
        }
        end.finish()
    }
}

extension Grocery {
    /// Opens the list. Offers to make one if there is none.
    private func open() async throws -> (list: GroceryList, settings: ListSettings) {
        do {
            return try await options.open()
        } catch let lack as NoList {
            guard Output.confirm("\(lack.reason). Make a first list?") else { throw lack }
            for line in try await FirstList(options: options, directory: nil, asks: true).make() { Output.note(line) }
            return try await options.open()
        }
    }
}

@main
enum Main {
    /// Runs the command on other threads, and keeps this one asleep for signals.
    ///
    /// An asynchronous main function ends the first thread by pthread_exit(3) before its work begins. That looks for the frames of the
    /// thread, and sorts those of the whole static program for it: a third of the time of a command.
    static func main() {
        Program.begin()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT) { _ in _exit(130) }
        do {
            // Parsed, and the help printed, before there is a second thread: libdispatch ends a process with several ones that has no
            // /proc. Even there the help and errors of arguments are printed.
            var parsed = try Grocery.parseAsRoot(Array(ProcessArguments.texts.dropFirst()))
            guard let asynchronous = parsed as? any AsyncParsableCommand else {
                try parsed.run()
                exit(0)
            }
            // The task alone uses it: this thread sleeps from then on.
            nonisolated(unsafe) let command = asynchronous
            Task.detached { await run(command) }
        } catch {
            end(error)
        }
        while true { pause() }
    }

    private static func run(_ command: sending any AsyncParsableCommand) async -> Never {
        do {
            var command = command
            try await command.run()
        } catch {
            guard let problem = Problem.of(error) else { end(error) }
            Output.note(problem.message)
            exit(problem.status)
        }
        exit(0)
    }

    /// Ends the process with an error or a text of the parser.
    private static func end(_ error: any Error) -> Never {
        if Grocery.exitCode(for: error) == .success { Grocery.exit(withError: error) }
        // The message of the parser has the argument as it is.
        Program.end(status: Grocery.exitCode(for: error).rawValue, message: Grocery.fullMessage(for: error))
    }
}
