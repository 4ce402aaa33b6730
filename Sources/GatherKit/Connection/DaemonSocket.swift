// Where the daemon listens: by choice, by environment, by what exists.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The Unix socket that a daemon listens on.
public struct DaemonSocket: Sendable, Hashable {
    /// Which daemon is meant, as with `systemctl --user` and `--system`.
    public enum Choice: Sendable, Hashable {
        /// `GATHER_SOCKET` where it is set, else the user's where its socket exists, else the system's.
        case automatic
        /// The one of this user's session.
        case user
        /// The one of the machine.
        case system
    }

    /// The socket's path.
    public let path: String
    /// How such a daemon is started, as one command for a shell.
    public let startCommand: String
    /// Nil for a socket in the file system.
    let inProcess: InProcessDaemon?

    /// The name of the socket in its directory.
    static let name = "gatherd/io.gatherd"
    /// Where the system's daemon listens.
    static let systemPath = "/run/" + name

    /// A socket at this path.
    public init(path: String) {
        self.path = path
        inProcess = nil
        startCommand =
            path == DaemonSocket.systemPath
            ? DaemonSocket.system.startCommand : "gatherd --socket \(ShellText.quoted(path)) --container ID=DIRECTORY"
    }

    private init(path: String, startCommand: String) {
        self.path = path
        self.startCommand = startCommand
        inProcess = nil
    }

    /// An engine in this process.
    package init(_ daemon: InProcessDaemon) {
        path = "this process"
        startCommand = ""
        inProcess = daemon
    }

    /// The socket of the daemon that is meant, whether or not anybody listens there.
    public static func find(_ choice: Choice = .automatic) -> DaemonSocket {
        find(choice, environment: { getenv($0).map { String(cString: $0) } }, exists: { access($0, F_OK) == 0 })
    }

    /// As ``find(_:)``, with the environment and the file system as parameters.
    static func find(
        _ choice: Choice, environment: (String) -> String?, exists: (String) -> Bool
    ) -> DaemonSocket {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        // `su` and `sudo` leave a session without the variable, though systemd made the directory.
        let runtime = value("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())"
        let user = DaemonSocket(path: "\(runtime)/\(name)", startCommand: "systemctl --user start gatherd")
        switch choice {
        case .user: return user
        case .system: return system
        case .automatic:
            if let path = value("GATHER_SOCKET") { return DaemonSocket(path: path) }
            return exists(user.path) ? user : system
        }
    }

    private static let system = DaemonSocket(path: systemPath, startCommand: "sudo systemctl start gatherd")

    /// Why a connection to it failed with `code`, and how to help.
    func unreachable(_ code: Int32) -> GatherError {
        let message =
            switch code {
            case ENOENT, ECONNREFUSED:
                "gatherd cannot be reached at \(path): nobody listens there. Start it with: \(startCommand)"
            case EACCES, EPERM:
                """
                you may not open \(path). The group of the socket may: add yourself to it with \
                'sudo adduser $USER gatherd', and log in again
                """
            case ENAMETOOLONG:
                "the path of the socket is too long for Unix (107 bytes at most): \(path)"
            default:
                "gatherd cannot be reached at \(path): \(String(cString: strerror(code))). Start it with: \(startCommand)"
            }
        return GatherError(code: .unreachable, message: message, subject: path)
    }
}
