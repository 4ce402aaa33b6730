// gather container: the watched directory trees.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc
internal import LinuxSystem

struct ContainerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container",
        abstract: "List, add, remove, rescan and accept watched directories.",
        discussion: """
            EXAMPLES
              gather container list
              gather container add grocery /srv/grocery
              gather container add photos ~/Pictures --ignore '*.tmp' --ignore .git
              gather container add notes ~/notes --make
              gather container rescan grocery
              gather container accept grocery
              gather container remove grocery
            """,
        subcommands: [List.self, Add.self, Remove.self, Rescan.self, Accept.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the containers that you may read.",
            usage: "gather container list [<options>]",
            discussion: """
                A pipe gets identifier, state, items and path with tabs between. Items are all entries, also those inside \
                packages.

                EXAMPLES
                  gather container list
                  gather container list --json | jq -r .path
                  gather container list --wait && echo "all are live"
                """)

        @Flag(help: "Print one JSON object a line.")
        var json = false

        @Flag(help: "Wait until no container is being read or compared. The status is 1 if one is not live then.")
        var wait = false

        @OptionGroup var connection: ConnectionOptions

        mutating func run() throws {
            let containers: [ContainerStatus]
            if wait {
                containers = try connection.target.waitUntilRead()
            } else {
                var client = try connection.connect()
                containers = try client.containers()
            }
            var output = Output()
            if json {
                for container in containers { output.line(ContainerTable.object(container)) }
            } else if Terminal.isTerminal() {
                for line in ContainerTable.lines(containers, color: Terminal.hasColor()) { output.line(line) }
            } else {
                for container in containers {
                    output.line(
                        "\(container.identifier)\t\(container.state.rawValue)\t\(container.items)\t\(container.path)")
                }
            }
            output.flush()
            if containers.isEmpty { Output.note(NoContainers.message(connection.target)) }
            if wait, containers.contains(where: { $0.state != .live }) { throw ExitCode(ExitStatus.failure) }
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Watch another directory from now on.",
            usage: "gather container add [<options>] <identifier> <directory>",
            discussion: """
                The container stays across restarts of the daemon. The command returns when the directory has been read and \
                is live. Only root and the daemon's own user may do this. A container may also be a file in \
                /etc/gatherd/containers.d.

                EXAMPLES
                  gather container add grocery /srv/grocery
                  gather container add photos ~/Pictures --ignore '*.tmp' --package bundle
                """)

        @Argument(help: "The identifier: a plain word, or a reversed domain such as org.example.notes.")
        var identifier: String

        @Argument(help: "The directory; relative paths and symbolic links are resolved.", completion: .directory)
        var directory: String

        @Option(
            name: .customLong("package"),
            help: ArgumentHelp(
                "Take directories with this extension for one item. May be repeated.", valueName: "extension")
        )
        var packages: [String] = []

        @Option(help: ArgumentHelp("Do not read names that this pattern fits. May be repeated.", valueName: "glob"))
        var ignore: [String] = []

        @Option(
            help: ArgumentHelp(
                "Let this program share it with other devices: syncthing. 'gather share' does the rest.",
                valueName: "program"),
            completion: .list([SharingProgram.name]))
        var sync: String?

        @Flag(help: "Make the directory if it is missing. On a terminal the command asks.")
        var make = false

        @Flag(name: .customLong("no-wait"), help: "Return at once, while the directory is being read.")
        var withoutWaiting = false

        @OptionGroup var connection: ConnectionOptions

        mutating func run() throws {
            var client = try connection.connect()
            let made = try makeDirectoryIfMissing()
            var container: ContainerStatus
            do {
                container = try client.addContainer(
                    ContainerIdentifier(identifier), path: RealPath.text(directory), packages: packages, ignore: ignore,
                    sync: sync)
            } catch {
                Directory.unmake(made)
                throw error
            }
            if !withoutWaiting { try wait(for: &container, &client) }
            var output = Output()
            output.line(ContainerTable.sentence(container))
            output.flush()
            if container.state == .unavailable { throw ExitCode(ExitStatus.failure) }
        }

        /// Makes the directory with those above it, if it is missing and the user wants that. Returns those that were made.
        private func makeDirectoryIfMissing() throws -> [String] {
            var arguments = ArgumentBytes()
            let place = arguments.bytes(of: directory)
            var status = stat()
            guard FilePlace.withCString(place, { stat($0, &status) }) != 0, errno == ENOENT else { return [] }
            let name = DisplayText.escaped(place)
            if !make {
                guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDERR_FILENO) else {
                    throw Failure(status: ExitStatus.usage, "\(name) is missing; make it, or add --make")
                }
                guard Output.confirm("\(name) is missing. Make it?") else { throw Failure("nothing was added") }
            }
            do throws(SystemError) {
                return try Directory.makeWithParents(String(decoding: place, as: UTF8.self), mode: 0o777)
            } catch {
                throw Failure("\(name) cannot be made: \(error)")
            }
        }

        /// Waits until the container was read for the first time. Shows the progress on a terminal.
        private func wait(for container: inout ContainerStatus, _ client: inout BlockingClient) throws {
            guard container.state.isTemporary else { return }
            var latest = container
            try connection.target.showProgress { $0.identifier == latest.identifier }
            try client.monitorContainers { containers in
                guard let now = containers.first(where: { $0.identifier == latest.identifier }) else { return false }
                latest = now
                return now.state.isTemporary
            }
            container = latest
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Stop watching a directory that was added at run time. The directory stays as it is.",
            usage: "gather container remove [<options>] <identifier>",
            discussion: """
                EXAMPLES
                  gather container remove grocery
                """)

        @Argument(help: "The container.", completion: Completions.removable)
        var identifier: String

        @OptionGroup var connection: ConnectionOptions

        mutating func run() throws {
            var client = try connection.connect()
            try client.removeContainer(ContainerIdentifier(identifier))
        }
    }

    struct Rescan: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rescan",
            abstract: "Compare a whole tree with the index again.",
            usage: "gather container rescan [<options>] <identifier>",
            discussion: """
                Useful after changes that the kernel does not report, such as those of another machine on a shared file \
                system. Live queries get the differences.

                EXAMPLES
                  gather container rescan grocery
                """)

        @Argument(help: "The container.", completion: Completions.containers)
        var identifier: String

        @OptionGroup var connection: ConnectionOptions

        mutating func run() throws {
            var client = try connection.connect()
            let result = try client.rescanContainer(ContainerIdentifier(identifier))
            var output = Output()
            output.line("added \(result.added), changed \(result.changed), removed \(result.removed)")
            output.flush()
        }
    }

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Take another directory at a container's path for the container.",
            usage: "gather container accept [<options>] <identifier>",
            discussion: """
                A container with the file .gather/container is unavailable while another directory is at its path: another disk, \
                an empty mount point, a copy. After this command that directory is the container, and live queries get the \
                differences. Only root and the daemon's own user may do this.

                EXAMPLES
                  gather container list          shows the reason
                  gather container accept grocery
                """)

        @Argument(help: "The container.", completion: Completions.containers)
        var identifier: String

        @OptionGroup var connection: ConnectionOptions

        mutating func run() throws {
            var client = try connection.connect()
            let container = try client.acceptContainer(ContainerIdentifier(identifier))
            var output = Output()
            output.line(ContainerTable.sentence(container))
            output.flush()
        }
    }
}
