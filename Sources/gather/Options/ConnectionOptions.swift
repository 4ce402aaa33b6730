// Which daemon is meant.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "The daemon of this user.")
    var user = false

    @Flag(help: "The daemon of this machine.")
    var system = false

    mutating func validate() throws {
        if [socket != nil, user, system].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --socket, --user and --system.")
        }
    }

    /// Which daemon these options mean.
    var target: Connection {
        Connection(socket: socket, choice: user ? .user : system ? .system : .automatic)
    }

    var isAutomatic: Bool { socket == nil && !user && !system }
    var daemon: DaemonSocket { target.daemon }
    var words: String { target.words }
    func connect() throws(GatherError) -> BlockingClient { try target.connect() }
}

/// Which daemon is meant, however that was said.
struct Connection {
    var socket: String?
    var choice = DaemonSocket.Choice.automatic

    /// An engine within this command, and the directories that it reads as they were typed.
    struct Embedded {
        var daemon: InProcessDaemon
        var directories: [String]
    }

    var embedded: Embedded?

    /// How long answers may wait for what is being read: within this command until it is read, else as the daemon has it.
    var patience: Duration? { embedded == nil ? nil : .seconds(86_400) }

    var daemon: DaemonSocket {
        if let embedded { return DaemonSocket(embedded.daemon) }
        return socket.map { DaemonSocket(path: $0) } ?? .find(choice)
    }

    /// The options as they would be typed, for commands that are suggested.
    var words: String {
        if let embedded {
            return " --embedded" + embedded.directories.map { " --in \(ShellText.quoted($0))" }.joined()
        }
        if let socket { return " --socket \(ShellText.quoted(socket))" }
        return choice == .user ? " --user" : choice == .system ? " --system" : ""
    }

    func connect() throws(GatherError) -> BlockingClient { try BlockingClient(daemon) }
}
