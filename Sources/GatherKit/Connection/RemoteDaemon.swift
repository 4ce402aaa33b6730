// The daemon of another machine, as ssh(1) reaches it.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import Varlink

/// The daemon of another machine: `ssh HOST gather bridge`.
struct RemoteDaemon: Sendable, Hashable {
    let host: RemoteHost
    /// The options of `gather bridge`, quoted for a shell.
    let options: String
    /// Whether ssh may ask for passwords and unknown keys. If it connects to several hosts at the same time, it may
    /// not.
    let asks: Bool
    /// The program that reaches the machine, with its own options; nil for that of the environment.
    var program: [String]?

    /// The longest wait for a connection of TCP, in seconds.
    private static let connectSeconds = 15
    /// The time after which a silent machine is asked for a sign of life, in seconds. The third question without an answer ends
    /// the connection.
    private static let aliveSeconds = 10
    /// The time that a person gets to type a password, or to confirm a key, in seconds.
    private static let typingSeconds = 60

    /// The silence after which the machine counts as one that does not answer. ssh has time to connect, and the daemon to answer.
    /// Afterwards `gather bridge` sends a sign of life every ``DaemonSocket/bridgeBeatMilliseconds``.
    private var silence: Duration {
        let typing = asks && RemoteDaemon.mayAsk ? RemoteDaemon.typingSeconds : 0
        return AnswerTime.usual.whole + .seconds(RemoteDaemon.connectSeconds + typing)
    }

    /// Whether ssh has a terminal, or a program, to ask a person.
    private static var mayAsk: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0 || getenv("SSH_ASKPASS") != nil
    }

    /// The judgement whether the machine still answers.
    var life: VarlinkLife { VarlinkLife(silence: silence) }

    /// The program and its arguments, from the variable `GATHER_SSH`: words with blanks between, `ssh` without it.
    private static var usualProgram: [String] {
        let words = getenv("GATHER_SSH").map { String(cString: $0).split(separator: " ").map(String.init) } ?? []
        return words.isEmpty ? ["ssh"] : words
    }

    /// The arguments, the program first.
    var arguments: [String] {
        var arguments = program ?? RemoteDaemon.usualProgram
        // No X11 and no terminal.
        arguments += ["-x", "-T"]
        var settings = [
            // No warnings that would be taken for the reason of an end.
            "LogLevel=ERROR", "ConnectTimeout=\(RemoteDaemon.connectSeconds)",
            "ServerAliveInterval=\(RemoteDaemon.aliveSeconds)",
            // Settings for other sessions with the machine. A process that other sessions use must not end with this one.
            "ClearAllForwardings=yes", "RemoteCommand=none", "PermitLocalCommand=no", "ControlMaster=no",
        ]
        if !asks { settings.append("BatchMode=yes") }
        arguments += settings.flatMap { ["-o", $0] }
        if let port = host.port { arguments += ["-p", port] }
        return arguments + ["--", host.destination, "exec gather bridge --end-with-input" + options]
    }

    /// Starts the program.
    func connect() throws(GatherError) -> DaemonConnection {
        do throws(SystemError) {
            let (process, input, output) = try RemoteProcess.start(arguments, writesWithin: silence)
            return DaemonConnection(descriptor: input, output: output, process: process)
        } catch {
            throw GatherError(
                code: .unreachable, message: "\(host): \(arguments[0]) cannot be run: \(error)",
                subject: host.description)
        }
    }

    /// The exit status of ssh(1) for its own failures, such as a machine that is away. Any other is that of the command there.
    private static let failedStatus: Int32 = 255
    /// The exit statuses of shells for a command that cannot be run, or that is not found.
    private static let notRunStatuses: Set<Int32> = [126, 127]

    /// Returns the error for a connection that has ended. ssh gives no reason with `LogLevel=ERROR`, where a machine ends the
    /// connection before the first line of the protocol.
    func ended(_ process: RemoteProcess) -> GatherError {
        let status = process.exitStatus
        let message = process.lastMessage
        let reason = message?.text ?? "the connection has ended; 'ssh \(host)' may tell the reason"
        let what =
            if status == RemoteDaemon.failedStatus {
                "the machine cannot be reached: "
            } else if let status, RemoteDaemon.notRunStatuses.contains(status) {
                "the machine answers, but gather cannot be run there: "
            } else if message?.isOfGather == true {
                "the machine answers, but its gatherd does not: "
            } else {
                ""
            }
        return GatherError(code: .unreachable, message: "\(host): \(what)\(reason)", subject: host.description)
    }

    /// Returns the error for a machine that has been silent for too long.
    func silent(_ process: RemoteProcess) -> GatherError {
        let reason = process.lastMessage.map { ": \($0.text)" } ?? "; 'ssh \(host)' may tell the reason"
        return GatherError(
            code: .notAnswering,
            message: "\(host): the machine has not answered for \(silence.components.seconds) s\(reason)",
            subject: host.description)
    }

    /// Returns the error for bytes that are no answer.
    func wrongAnswer(_ violation: VarlinkClientConnection.Violation) -> GatherError {
        let message =
            if case .foreign(let text) = violation {
                """
                the machine sent '\(DisplayText.escaped(text))' before an answer: a start file of the shell there prints that. \
                '\(host.shellWords) true' must print nothing
                """
            } else {
                "the machine does not answer as gatherd does: \(violation)"
            }
        return GatherError(code: .protocolViolation, message: "\(host): \(message)", subject: host.description)
    }
}
