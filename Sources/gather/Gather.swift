// The query command: its subcommands, and the exit status of each failure.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc
internal import LinuxSystem

struct Gather: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gather",
        abstract: "Ask gatherd about files: what matches now, and what changes.",
        usage: "gather <command> [<options>] [<arguments>]",
        discussion: """
            EXAMPLES
              gather find "name LIKE '*.pdf'"        print what matches now
              gather find -e pdf --changed-within 7d the same in the words of fd
              gather watch "name LIKE 'Item_*'"      and each change to it
              gather find "size > 1MB" --sort -size --limit 10
              gather values contentType              count what there is
              gather show notes.txt                  every attribute of a file
              gather find "size > 1MB" --embedded --in .    without a daemon
              gather conflicts                       versions in conflict
              gather container add grocery /srv/grocery
              gather share grocery                   with other devices
              gather status                          the daemon and its containers
              gather doctor                          faults, and what mends them
              gather top                             what the daemon does now
              gather -H attic find "name LIKE '*.pdf'"    the same on another machine

            A predicate compares attributes: name, path, kind, size, modified, tags and more. 'gather attributes' lists them, \
            and gather-predicates(7) is the guide. 'gather explain PREDICATE' prints how one is understood.

            ENVIRONMENT
              GATHER_SOCKET  the daemon's socket. Without it, the user's socket
                             is taken if it exists, else the system's.
              GATHER_SYNC_SOCKET
                             the socket of gather-syncd, found likewise
              GATHER_SSH     the program that reaches other machines, with
                             options; without it, ssh

            EXIT STATUS
              0    done
              1    nothing matched (with --quiet), or another failure
              2    the predicate is wrong
              3    the answer may be wrong (with --require-exact)
              4    the history does not reach back (changes)
              64   the arguments are wrong
              69   the daemon cannot be reached; of several hosts, one of them;
                   or gather-syncd or Syncthing does not answer
              124  the time was over without a change (watch --once), or
                   without a connection (join)
              130  ended with Ctrl-C
              Else, with watch --exec, that of the last command that failed.
            """,
        version: "gather 0.1.0",
        subcommands: [
            FindCommand.self, WatchCommand.self, CountCommand.self, ValuesCommand.self, ShowCommand.self,
            ClockCommand.self, ChangesCommand.self, FilterCommand.self, ExplainCommand.self, AttributesCommand.self,
            ConflictsCommand.self,
        ],
        groupedSubcommands: [
            CommandGroup(
                name: "Sharing",
                subcommands: [
                    ShareCommand.self, JoinCommand.self, DevicesCommand.self, SyncCommand.self, EvictCommand.self,
                    DownloadCommand.self,
                ]),
            CommandGroup(
                name: "Administration",
                subcommands: [
                    ContainerCommand.self, StatusCommand.self, DoctorCommand.self, TopCommand.self,
                    MetricsCommand.self, ReloadCommand.self, BridgeCommand.self,
                ]),
        ])
}

/// The width of help texts.
enum HelpWidth {
    /// The widest text. Longer lines are hard to read.
    private static let most = 80

    /// Makes the parser wrap its texts at 80 columns, if the arguments ask for help and the terminal is wider.
    static func limit(for arguments: [String]) {
        let asks = arguments.isEmpty || arguments.first == "help" || arguments.contains { $0 == "--help" || $0 == "-h" }
        if asks, Terminal.isTerminal(), Terminal.width > most { setenv("COLUMNS", "\(most)", 1) }
    }
}

@main
enum Main {
    static func main() {
        Program.begin()
        Signals.install()
        do {
            let arguments = LeadingOptions.moved(ProcessArguments.texts.dropFirst())
            HelpWidth.limit(for: arguments)
            if let find = try PlainFind(arguments) {
                try find.run()
            } else {
                try UnknownCommand.check(arguments)
                var command = try Gather.parseAsRoot(arguments)
                try command.run()
            }
        } catch let failure as Failure {
            failure.exit()
        } catch let error as GatherError {
            Failure(error).exit()
        } catch {
            if Gather.message(for: error).contains("Missing expected argument '<predicate>'") {
                Failure(status: ExitStatus.usage, "a predicate is missing; \"\" matches all items").exit()
            }
            if Gather.exitCode(for: error) == .success { Gather.exit(withError: error) }
            let (status, message) = (Gather.exitCode(for: error).rawValue, Gather.fullMessage(for: error))
            // A status alone says all.
            if message.isEmpty { Program.end(status: status, message: "") }
            let arguments = LeadingOptions.moved(ProcessArguments.texts.dropFirst())
            Failure(status: status, ForeignOption.message(message, arguments)).exit()
        }
    }
}
