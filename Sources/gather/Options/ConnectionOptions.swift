// The choice of the daemon.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import LinuxSystem

struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The socket of the daemon.", valueName: "path"), completion: .file())
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

    /// The daemon that these options choose.
    var target: Connection {
        Connection(socket: socket, choice: user ? .user : system ? .system : .automatic)
    }

    var isAutomatic: Bool { socket == nil && !user && !system }
    var daemon: DaemonSocket { target.daemon }
    var words: String { target.words }
    func connect() throws(GatherError) -> BlockingClient { try target.connect() }
}

/// The chosen daemon, here or on another machine, or an engine within this command.
struct Connection {
    var socket: String?
    var choice = DaemonSocket.Choice.automatic
    /// The other machine.
    var host: RemoteHost?
    /// Whether other machines are asked the same.
    var isOneOfSeveral = false

    /// An engine within this command, with its directories as they were typed.
    struct Embedded {
        var daemon: InProcessDaemon
        var directories: [String]
    }

    var embedded: Embedded?

    /// The time that answers may wait for containers that are being read. Nil for the daemon's default.
    var patience: Duration? { embedded == nil ? nil : .seconds(86_400) }

    var daemon: DaemonSocket {
        if let embedded { return DaemonSocket(embedded.daemon) }
        if let host { return DaemonSocket(host: host, choice: choice, path: socket, asks: !isOneOfSeveral) }
        return socket.map { DaemonSocket(path: $0) } ?? .find(choice)
    }

    /// The options as they would be typed, for suggested commands.
    var words: String {
        if let embedded {
            return " --embedded" + embedded.directories.map { " --in \(ShellText.quoted($0))" }.joined()
        }
        return (host.map { " --host \(ShellText.quoted($0.description))" } ?? "") + daemonWords
    }

    /// The options of the daemon on its machine.
    var daemonWords: String {
        if let socket { return " --socket \(ShellText.quoted(socket))" }
        return choice == .user ? " --user" : choice == .system ? " --system" : ""
    }

    /// Learns the containers of a daemon on this machine, so that no symbolic link below one is followed. Without a daemon there are
    /// none.
    func learnContainers() {
        guard host == nil, var client = try? connect(), let containers = try? client.containers() else { return }
        for container in containers { ContainerRoots.add(container.path) }
    }

    /// Returns a command as it would be typed here for the machine of the daemon.
    func command(_ command: String) -> String { (host.map { $0.shellWords + " " } ?? "") + command }

    func connect() throws(GatherError) -> BlockingClient { try BlockingClient(daemon) }
}
