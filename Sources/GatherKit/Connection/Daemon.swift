// The place where a program finds the services of Gather.
// SPDX-License-Identifier: Apache-2.0

/// A daemon, here or on another machine, and the sharing helper to ask, which is one of this machine.
///
/// The value has no connection. All types that speak with a daemon take one, and use ``automatic`` without it.
///
/// ```swift
/// let own = GatherClient(daemon: .at(path: "/run/user/1000/gatherd/io.gatherd"))
/// let query = MetadataQuery(predicate: "name LIKE '*.pdf'", daemon: .user)
/// ```
public struct Daemon: Sendable, Hashable {
    /// The socket of the daemon.
    package let socket: DaemonSocket
    /// The socket of the helper.
    package let sharing: SharingSocket

    /// Makes the value from two sockets.
    package init(_ socket: DaemonSocket, sharing: SharingSocket = .find()) {
        self.socket = socket
        self.sharing = sharing
    }

    /// The daemon of `GATHER_SOCKET` if that is set, else the user's if its socket exists, else the system's. The helper is found
    /// in the same way, with `GATHER_SYNC_SOCKET`.
    public static var automatic: Daemon { Daemon(.find()) }

    /// The daemon and the helper of this user.
    public static var user: Daemon { Daemon(.find(.user), sharing: .find(.user)) }

    /// The daemon and the helper of the machine.
    public static var system: Daemon { Daemon(.find(.system), sharing: .find(.system)) }

    /// Returns the daemon at a path.
    ///
    /// - Parameters:
    ///   - path: The path of its socket, or a Varlink address such as `unix:/run/gatherd/io.gatherd`.
    ///   - sharing: The path of the helper's socket; nil for that of ``automatic``.
    public static func at(path: String, sharing: String? = nil) -> Daemon {
        Daemon(DaemonSocket(path: path), sharing: sharing.map { SharingSocket(path: $0) } ?? .find())
    }

    /// Returns the daemon of another machine. The helper is that of this machine.
    ///
    /// Each connection starts `ssh HOST gather bridge`, so `gather` has to be installed there, and ssh(1) has to reach the machine.
    /// The daemon sees the user who logs in there, and answers with the items that this user may list. The variable `GATHER_SSH`
    /// names another program than `ssh`, with options if needed.
    ///
    /// - Parameters:
    ///   - host: The machine.
    ///   - path: The path of the socket there; nil for that of ``automatic``.
    ///   - asks: Whether ssh may ask on the terminal, for a password or an unknown key.
    ///   - program: The program with options of its own; nil for `GATHER_SSH`.
    public static func on(
        _ host: RemoteHost, path: String? = nil, asks: Bool = true, program: [String]? = nil
    ) -> Daemon {
        Daemon(DaemonSocket(host: host, path: path, asks: asks, program: program))
    }

    /// The path of the daemon's socket. For another machine without a given path, it is the name of the machine.
    public var path: String { socket.path }

    /// The path of the helper's socket.
    public var sharingPath: String { sharing.path }

    /// The other machine; nil for this one.
    public var host: RemoteHost? { socket.host }

    /// The shell command that starts such a daemon.
    public var startCommand: String { socket.startCommand }
}
