// Starting a daemon for a user who has none.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import Glibc
internal import GroceryModel
internal import LinuxSystem

/// The way to start a daemon on this machine: the unit of the Debian package where systemd runs, else a process in the background.
struct DaemonStart {
    private enum Way {
        case unit(command: String)
        case process(log: String)
    }

    private let daemon: Daemon
    /// Whether the user named the socket, which a unit does not listen on.
    private let isChosen: Bool
    private let way: Way

    init(daemon: Daemon, isChosen: Bool) throws(Problem) {
        self.daemon = daemon
        self.isChosen = isChosen
        let systemctl = getuid() == 0 ? "systemctl" : "systemctl --user"
        if !isChosen, DaemonStart.succeeds("\(systemctl) cat gatherd.socket >/dev/null 2>&1") {
            way = .unit(command: "\(systemctl) enable --now gatherd.socket")
        } else {
            guard let state = StateDirectory.path else {
                throw Problem("gatherd has no place for its log; set HOME or XDG_STATE_HOME")
            }
            way = .process(log: state + "/gatherd/gatherd.log")
        }
    }

    /// The question to the user.
    var question: String {
        switch way {
        case .unit(let command): "Start it now, and from now on when it is needed (\(command))?"
        case .process(let log): "Start it in the background, until this machine is switched off? (Its log is \(log).)"
        }
    }

    /// Starts the daemon. Returns when it answers, with a line that says how it was started.
    func run() async throws -> String {
        switch way {
        case .unit(let command):
            guard DaemonStart.succeeds(command) else { throw Problem("gatherd is not started: '\(command)' failed") }
            // The socket is there by now, and the first connection starts the daemon.
            _ = try await GatherClient(daemon: daemon).status()
            return "started gatherd: \(command)"
        case .process(let log):
            let process = try start(log)
            try await untilItAnswers(process, log)
            return "started gatherd (process \(process)); its log is \(log)"
        }
    }

    private static func succeeds(_ command: String) -> Bool { (try? EditorProcess.run([command])) == 0 }

    // MARK: A process

    /// The program beside this one, or that of `PATH`.
    private static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let own = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = own.lastIndex(of: "/") else { return "gatherd" }
        let beside = String(own[...slash]) + "gatherd"
        return access(beside, X_OK) == 0 ? beside : "gatherd"
    }

    /// Starts it in a session of its own, so that the end of this terminal is not its end.
    private func start(_ log: String) throws(Problem) -> CInt {
        do throws(SystemError) {
            try Directory.makeWithParents(String(log[..<(log.lastIndex(of: "/") ?? log.endIndex)]))
            let output = try Entry.openForWriting(log, mode: 0o600, truncate: true)
            let input = try Entry.openForReading("/dev/null")
            // The working directory may be on a disk that is to be removed.
            let options = isChosen ? ["--socket", DaemonStart.absolute(daemon.path)] : []
            return try Program.start(
                (["setsid", "env", "--chdir=/", DaemonStart.program] + options).map { Array($0.utf8) },
                descriptors: [
                    .init(input.number, as: STDIN_FILENO), .init(output.number, as: STDOUT_FILENO),
                    .init(output.number, as: STDERR_FILENO),
                ])
        } catch {
            throw Problem("gatherd cannot be started: \(error)")
        }
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }

    /// The longest wait for a daemon that starts.
    private static let patience = Duration.seconds(60)
    /// The pause between two looks for the socket.
    private static let pause = Duration.milliseconds(20)

    /// Waits until the process listens or has ended.
    private func untilItAnswers(_ process: CInt, _ log: String) async throws {
        let client = GatherClient(daemon: daemon)
        let end = ContinuousClock.now + DaemonStart.patience
        while true {
            do throws(GatherError) {
                _ = try await client.status()
                return
            } catch {
                guard error.code == .unreachable else { throw error }
            }
            var status: CInt = 0
            guard waitpid(process, &status, WNOHANG) == 0 else {
                let said = (try? FileSystem.read(log, limit: GroceryLimits.fileBytes)) ?? []
                let reason = String(decoding: said, as: UTF8.self).split(separator: "\n").last.map { ": \($0)" } ?? ""
                throw Problem("gatherd ended at once\(reason)")
            }
            guard ContinuousClock.now < end else {
                throw Problem(
                    "gatherd (process \(process)) does not answer at \(daemon.path) yet; its log is \(log)", status: 75)
            }
            try await Task.sleep(for: DaemonStart.pause)
        }
    }
}
