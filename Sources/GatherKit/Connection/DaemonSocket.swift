// Finds the socket of the daemon.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import Varlink

/// The Unix socket that a daemon listens on, here or on another machine.
package struct DaemonSocket: Sendable, Hashable {
    /// The choice of a daemon, as with `systemctl --user` and `--system`.
    package enum Choice: Sendable, Hashable {
        /// `GATHER_SOCKET` if it is set, else the user's socket if it exists, else the system's.
        case automatic
        /// The daemon of this user.
        case user
        /// The daemon of the machine.
        case system
    }

    /// The socket's path. For another machine without a given path, it is the name of the machine.
    package let path: String
    /// The shell command that starts such a daemon.
    package let startCommand: String
    private let route: Route

    /// The way to a daemon.
    private enum Route: Sendable, Hashable {
        /// The socket in the file system.
        case path
        /// The engine in this process.
        case process(InProcessDaemon)
        case remote(RemoteDaemon)
    }

    /// The name of the socket in its directory.
    static let name = "gatherd/io.gatherd"
    /// The socket of the system's daemon.
    static let systemPath = "/run/" + name

    /// The daemon that listens at a path, as far as the path tells.
    private enum Place: Sendable, Hashable {
        case system
        /// The directory for the sockets of the user's programs.
        case user(RuntimeDirectory)
        case other
    }

    private let place: Place

    /// Makes the socket at a path, or at a Varlink address such as `unix:/run/gatherd/io.gatherd`.
    package init(path: String) {
        let path = VarlinkAddress.path(path)
        let hasSystemd = DaemonSocket.hasSystemd(DaemonSocket.exists)
        self.init(path: path, place: path == DaemonSocket.systemPath ? .system : .other, hasSystemd: hasSystemd)
    }

    /// `isChosen` tells whether this daemon was named. If it was not, any user can start another one.
    private init(path: String, place: Place, hasSystemd: Bool, isChosen: Bool = true) {
        self.path = path
        self.place = place
        route = .path
        startCommand =
            switch place {
            case .system where hasSystemd: "sudo systemctl start gatherd"
            case .system: (isChosen ? "sudo " : "") + "gatherd --container NAME=/DIRECTORY"
            // Without a session there is no manager of the user's units.
            case .user(let runtime):
                hasSystemd && runtime.origin != .state ? "systemctl --user start gatherd" : "gatherd"
            case .other: "gatherd --socket \(ShellText.quoted(path)) --container NAME=/DIRECTORY"
            }
    }

    /// Whether systemd runs this machine (sd_booted(3)).
    private static func hasSystemd(_ exists: (String) -> Bool) -> Bool { exists("/run/systemd/system") }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Makes the socket of an engine in this process.
    package init(_ daemon: InProcessDaemon) {
        path = "this process"
        place = .other
        startCommand = ""
        route = .process(daemon)
    }

    /// Makes the socket of a daemon on another machine.
    ///
    /// Each connection starts `ssh HOST gather bridge`, so `gather` has to be installed there, and ssh(1) has to reach the machine.
    /// The daemon sees the user who logs in there, and answers with the items that this user may list. The variable `GATHER_SSH`
    /// names another program than `ssh`, with options if needed.
    ///
    /// - Parameters:
    ///   - host: The machine.
    ///   - choice: The daemon on that machine.
    ///   - path: The path of its socket there; nil for that of the choice.
    ///   - asks: Whether ssh may ask on the terminal, for a password or an unknown key.
    ///   - program: The program with options of its own; nil for `GATHER_SSH`.
    package init(
        host: RemoteHost, choice: Choice = .automatic, path: String? = nil, asks: Bool = true,
        program: [String]? = nil
    ) {
        let options =
            path.map { " --socket " + ShellText.quoted($0) }
            ?? (choice == .user ? " --user" : choice == .system ? " --system" : "")
        self.path = path ?? host.description
        place = .other
        startCommand = "\(host.shellWords) sudo systemctl start gatherd"
        route = .remote(
            RemoteDaemon(host: host, options: options, asks: asks, program: program?.isEmpty == true ? nil : program))
    }

    /// The other machine; nil for this one.
    package var host: RemoteHost? {
        if case .remote(let daemon) = route { daemon.host } else { nil }
    }

    /// Connects. Blocks only while the daemon's queue of new connections is full, and not for ever.
    func connect() throws(GatherError) -> DaemonConnection {
        if case .remote(let daemon) = route {
            return try daemon.connect()
        }
        do throws(VarlinkClientError) {
            guard case .process(let daemon) = route else {
                return DaemonConnection(
                    descriptor: try BlockingVarlinkClient.connect(path: path, within: AnswerTime.usual.whole),
                    process: nil)
            }
            return DaemonConnection(descriptor: try daemon.descriptor(), process: nil)
        } catch {
            throw GatherError(error, socket: self)
        }
    }

    /// The way to find out whether the daemon lives; nil for an engine in this process. On another machine, `gather bridge`
    /// finds that out, and sends signs of life.
    var life: VarlinkLife? {
        switch route {
        case .path: AnswerTime.usual.life(of: path)
        case .process: nil
        case .remote(let daemon): daemon.life
        }
    }

    /// The time between two signs of life that `gather bridge` sends while the daemon has nothing to send.
    package static let bridgeBeatMilliseconds: Int32 = 5_000

    /// The silence after which ``checkLife()`` is worth its question.
    package static var silenceMilliseconds: Int32 { Int32(clamping: AnswerTime.usual.whole.components.seconds * 500) }

    /// Throws if the daemon does not answer. Blocks until it has, or has had the time for it.
    package func checkLife() throws(GatherError) {
        if let life, !life.probe() { throw silent }
    }

    /// Returns a blocking socket that is connected to a daemon of this machine. The caller owns it.
    package func connectedDescriptor() throws(GatherError) -> Int32 { try connect().descriptor }

    /// Returns the error for a connection of this socket.
    func error(_ error: VarlinkClientError, _ process: RemoteProcess?) -> GatherError {
        guard case .remote(let daemon) = route, let process else { return GatherError(error, socket: self) }
        switch error {
        case _ where error.isEndOfConnection: return daemon.ended(process)
        case .silent: return daemon.silent(process)
        case .violation(let violation): return daemon.wrongAnswer(violation)
        default: return GatherError(error, socket: self)
        }
    }

    /// Returns the error for an answer that violates the interface.
    func error(_ error: JSONError) -> GatherError {
        if case .remote(let daemon) = route { daemon.wrongAnswer(.malformed(error)) } else { GatherError(error) }
    }

    /// Reads an answer.
    func reading<Value>(_ body: () throws(JSONError) -> Value) throws(GatherError) -> Value {
        do throws(JSONError) { return try body() } catch { throw self.error(error) }
    }

    /// Returns the socket of the chosen daemon, whether or not it is running.
    package static func find(_ choice: Choice = .automatic) -> DaemonSocket {
        find(choice, environment: { getenv($0).map { String(cString: $0) } }, exists: exists)
    }

    /// Finds the socket, with the environment and the file system as parameters.
    static func find(
        _ choice: Choice, environment: (String) -> String?, exists: (String) -> Bool
    ) -> DaemonSocket {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let hasSystemd = hasSystemd(exists)
        let runtimes = RuntimeDirectory.candidates(of: getuid(), environment: value, exists: exists)
        // A daemon that was started without a session may still be there in one.
        let found = runtimes.first { $0.socket(name, exists: exists) != nil }
        let runtime = found ?? runtimes[0]
        let user = DaemonSocket(path: "\(runtime.path)/\(name)", place: .user(runtime), hasSystemd: hasSystemd)
        func system(isChosen: Bool) -> DaemonSocket {
            DaemonSocket(path: systemPath, place: .system, hasSystemd: hasSystemd, isChosen: isChosen)
        }
        switch choice {
        case .user: return user
        case .system: return system(isChosen: true)
        case .automatic:
            if let path = value("GATHER_SOCKET") { return DaemonSocket(path: path) }
            return found != nil ? user : system(isChosen: false)
        }
    }

    /// Explains why a connection failed with `code`, with the command that helps on this machine.
    func unreachable(_ code: Int32) -> GatherError {
        let message =
            switch code {
            case ENOENT, ECONNREFUSED: notListening
            case EACCES, EPERM: denied
            case ENAMETOOLONG:
                "the path of the socket is too long for Unix (107 bytes at most): \(path)"
            default:
                "gatherd cannot be reached at \(path): \(String(cString: strerror(code))). Start it with: \(startCommand)"
            }
        return GatherError(code: .unreachable, message: message, subject: path)
    }

    /// The error of a daemon that neither answers nor ends.
    var silent: GatherError {
        let hasSystemd = DaemonSocket.hasSystemd(DaemonSocket.exists)
        let remedy =
            switch place {
            case .system where hasSystemd: "Restart it with: sudo systemctl restart gatherd"
            case .user(let runtime) where hasSystemd && runtime.origin != .state:
                "Restart it with: systemctl --user restart gatherd"
            default: "See its process with: ps -C gatherd -o pid,stat,args"
            }
        return GatherError(
            code: .notAnswering,
            message:
                "gatherd at \(path) has not answered for \(AnswerTime.usual): it is stopped or overloaded. \(remedy)",
            subject: path)
    }

    private var notListening: String {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            return "\(path) is no socket, so gatherd cannot be reached there. Remove that file, or name another socket"
        }
        if case .user(let runtime) = place, runtime.origin == .named, !DaemonSocket.exists(runtime.path) {
            return
                "gatherd cannot be reached at \(path): the runtime directory \(runtime.path) does not exist. "
                + "Unset XDG_RUNTIME_DIR, for gatherd too, or make that directory with mode 0700"
        }
        return "gatherd cannot be reached at \(path): no daemon listens there. Start it with: \(startCommand)"
    }

    private var denied: String {
        switch place {
        case .system:
            """
            you may not open \(path). The group of the socket may: add yourself to it with \
            'sudo adduser $USER gatherd', and log in again
            """
        case .user(let runtime):
            """
            you may not open \(path). XDG_RUNTIME_DIR must name a directory of this user: see 'ls -ld \
            \(ShellText.quoted(runtime.path))', or unset it
            """
        case .other: "you may not open \(path). Its mode does not allow it: see 'ls -l \(ShellText.quoted(path))'"
        }
    }
}
