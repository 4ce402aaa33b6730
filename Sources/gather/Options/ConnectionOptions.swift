// Which daemon is meant.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
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

    var daemon: DaemonSocket {
        if let socket { return DaemonSocket(path: socket) }
        return .find(user ? .user : system ? .system : .automatic)
    }

    /// These options as they would be typed, for commands that are suggested.
    var words: String {
        if let socket { return " --socket \(ShellText.quoted(socket))" }
        return user ? " --user" : system ? " --system" : ""
    }

    func connect() throws(GatherError) -> BlockingClient { try BlockingClient(daemon) }
}
