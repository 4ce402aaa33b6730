// The query command: its sub-commands, and the one place that decides how it ends.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct Gather: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gather",
        abstract: "Ask gatherd about files: what matches now, and what changes.",
        discussion: """
            EXAMPLES
              gather find "name LIKE '*.pdf'"            what matches now
              gather watch "name LIKE 'Item_*'"          that, and each change
              gather find "size > 1000000" --sort -size --limit 10
              gather values contentType                  what there is, and how much of it
              gather show notes.txt                      every attribute of a file
              gather find "size > 1000000" --embedded --in .   try it without a daemon
              gather container add grocery /srv/grocery  watch another directory
              gather status                              the daemon and its containers
              gather doctor                              what is wrong, and what mends it
              gather top                                 what it does now

            A predicate compares attributes: name, path, kind, size, modified, tags and more ('gather attributes'). \
            'gather explain PREDICATE' says how one is understood.

            ENVIRONMENT
              GATHER_SOCKET  the daemon's socket; without it, the user's where
                             that exists, else the system's

            EXIT STATUS
              0    done
              1    nothing matched (with --quiet), or it could not be done
              2    the predicate is wrong
              64   the arguments are wrong
              69   the daemon cannot be reached
              130  ended with Ctrl-C
            """,
        version: "gather 0.1.0",
        subcommands: [
            FindCommand.self, WatchCommand.self, CountCommand.self, ValuesCommand.self, ShowCommand.self,
            FilterCommand.self, ExplainCommand.self, AttributesCommand.self, ContainerCommand.self, StatusCommand.self,
            DoctorCommand.self, TopCommand.self, MetricsCommand.self, ReloadCommand.self,
        ])
}

@main
enum Main {
    static func main() {
        Signals.install()
        do {
            let arguments = LeadingOptions.moved(CommandLine.arguments.dropFirst())
            if let find = try PlainFind(arguments) {
                try find.run()
            } else {
                var command = try Gather.parseAsRoot(arguments)
                try command.run()
            }
        } catch let failure as Failure {
            failure.exit()
        } catch let error as GatherError {
            Failure(error).exit()
        } catch {
            Gather.exit(withError: error)
        }
    }
}
