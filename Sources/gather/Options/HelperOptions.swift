// The choice of the sharing helper.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

/// The helper of commands that also ask the daemon: that of the same user or machine.
struct HelperOptions: ParsableArguments {
    @Option(
        name: .customLong("sync-socket"), help: ArgumentHelp("The socket of gather-syncd.", valueName: "path"),
        completion: .file())
    var socket: String?

    /// The helper that belongs to the chosen daemon.
    func target(_ daemon: ConnectionOptions) -> SharingSocket {
        socket.map { SharingSocket(path: $0) } ?? .find(daemon.target.choice)
    }
}

/// The helper of commands that do not ask the daemon.
struct HelperChoice: ParsableArguments {
    @Option(
        name: .customLong("sync-socket"), help: ArgumentHelp("The socket of gather-syncd.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Flag(help: "The helper of this user.")
    var user = false

    @Flag(help: "The helper of this machine.")
    var system = false

    mutating func validate() throws {
        if [socket != nil, user, system].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --sync-socket, --user and --system.")
        }
    }

    var target: SharingSocket {
        socket.map { SharingSocket(path: $0) } ?? .find(user ? .user : system ? .system : .automatic)
    }

    /// The options as they would be typed, for suggested commands.
    var words: String {
        if let socket { return " --sync-socket \(ShellText.quoted(socket))" }
        return user ? " --user" : system ? " --system" : ""
    }
}
