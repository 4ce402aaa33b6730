// Finds the socket of the sharing helper.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import Varlink

/// The Unix socket of `gather-syncd`, the helper that shares containers with other devices through Syncthing.
package struct SharingSocket: Sendable, Hashable {
    /// The socket's path.
    package let path: String
    /// The shell command that starts such a helper.
    package let startCommand: String
    private let isSystems: Bool

    /// The name of the socket in its directory.
    static let name = "gather-syncd/io.gatherd.Sharing"
    /// The socket of the system's helper.
    static let systemPath = "/run/" + name

    /// Makes the socket at a path, or at a Varlink address.
    package init(path: String) {
        let path = VarlinkAddress.path(path)
        let isSystems = path == SharingSocket.systemPath
        let hasSystemd = SharingSocket.exists("/run/systemd/system")
        self.init(
            path: path, isSystems: isSystems,
            startCommand: isSystems && hasSystemd
                ? SharingSocket.systemStart : "gather-syncd --socket \(ShellText.quoted(path))")
    }

    private init(path: String, isSystems: Bool, startCommand: String) {
        self.path = path
        self.isSystems = isSystems
        self.startCommand = startCommand
    }

    private static let systemStart = "sudo systemctl start gather-syncd"

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns the socket of the chosen helper, whether or not it is running. `automatic` is `GATHER_SYNC_SOCKET` if it
    /// is set, else the user's socket if it exists, else the system's.
    package static func find(_ choice: DaemonSocket.Choice = .automatic) -> SharingSocket {
        find(choice, environment: { getenv($0).map { String(cString: $0) } }, exists: exists)
    }

    /// Finds the socket, with the environment and the file system as parameters.
    static func find(
        _ choice: DaemonSocket.Choice, environment: (String) -> String?, exists: (String) -> Bool
    ) -> SharingSocket {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let hasSystemd = exists("/run/systemd/system")
        let runtimes = RuntimeDirectory.candidates(of: getuid(), environment: value, exists: exists)
        let found = runtimes.first { $0.socket(name, exists: exists) != nil }
        let runtime = found ?? runtimes[0]
        let user = SharingSocket(
            path: "\(runtime.path)/\(name)", isSystems: false,
            startCommand: hasSystemd && runtime.origin != .state
                ? "systemctl --user start gather-syncd" : "gather-syncd")
        // Without systemd, a user can start a helper of their own only.
        let system = SharingSocket(
            path: systemPath, isSystems: true, startCommand: hasSystemd ? systemStart : "sudo gather-syncd")
        switch choice {
        case .user: return user
        case .system: return system
        case .automatic:
            if let path = value("GATHER_SYNC_SOCKET") { return SharingSocket(path: path) }
            if found != nil { return user }
            // If both helpers are away, a user of gatherd's user unit means their own.
            if !exists(system.path), runtimes.contains(where: { $0.socket(DaemonSocket.name, exists: exists) != nil }) {
                return user
            }
            return system
        }
    }

    /// Returns a blocking socket that is connected to the helper. The caller owns it.
    func connect() throws(GatherError) -> CInt {
        do throws(VarlinkClientError) {
            return try BlockingVarlinkClient.connect(path: path, within: AnswerTime.usual.whole)
        } catch {
            throw self.error(error)
        }
    }

    /// Returns the error for a connection of this socket.
    func error(_ error: VarlinkClientError) -> GatherError {
        switch error {
        case .error(let error): GatherError(sharing: error)
        case .socket(let error):
            switch error.operation {
            case .connect where error.errno == EAGAIN: silent
            case .socket, .path, .connect: unreachable(error.errno)
            default:
                GatherError(code: .connectionLost, message: "the connection to gather-syncd is lost (\(error))")
            }
        case .closed:
            GatherError(code: .connectionLost, message: "gather-syncd closed the connection before it had answered")
        case .silent: silent
        case .violation(let violation):
            GatherError(
                code: .protocolViolation,
                message: "the program at \(path) does not answer as gather-syncd does: \(violation)")
        case .cancelled: GatherError(code: .cancelled, message: "cancelled")
        }
    }

    /// The error of a helper that neither answers nor ends.
    private var silent: GatherError {
        let remedy =
            startCommand.contains("systemctl ")
            ? "Restart it with: \(startCommand.replacing(" start ", with: " restart "))"
            : "See its process with: ps -C gather-syncd -o pid,stat,args"
        return GatherError(
            code: .notAnswering,
            message:
                "gather-syncd at \(path) has not answered for \(AnswerTime.usual): it is stopped or overloaded. \(remedy)",
            subject: path)
    }

    /// Explains why a connection failed with `code`, with the command that helps.
    func unreachable(_ code: Int32) -> GatherError {
        let message =
            switch code {
            case ENOENT, ECONNREFUSED:
                "gather-syncd cannot be reached at \(path): no helper listens there. Start it with: \(startCommand)"
            case EACCES, EPERM:
                isSystems
                    ? "you may not open \(path): it is for root and the user of gather-syncd. Try again with sudo"
                    : "you may not open \(path). Its mode does not allow it: see 'ls -l \(ShellText.quoted(path))'"
            case ENAMETOOLONG: "the path of the socket is too long for Unix (107 bytes at most): \(path)"
            default:
                "gather-syncd cannot be reached at \(path): \(String(cString: strerror(code))). "
                    + "Start it with: \(startCommand)"
            }
        return GatherError(code: .unreachable, message: message, subject: path)
    }
}
