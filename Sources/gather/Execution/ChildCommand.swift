// A program that the command runs and waits for.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import LinuxSystem
internal import Synchronization

/// A program that the command runs and waits for, without a shell.
enum ChildCommand {
    /// The running process; 0 for none, ``starting`` during its start. Signal handlers read it.
    static let running = Atomic<Int32>(0)
    static let starting: Int32 = -1
    /// Whether the process leads a process group of its own.
    static let leadsGroup = Atomic<Bool>(false)

    /// The reason why a program could not be started.
    struct StartError: Error {
        let program: [UInt8]
        let code: Int32

        /// Whether the program may start with other arguments or at another time. One long path must not end a watch.
        var isOfThisRun: Bool { [E2BIG, EAGAIN, ENOMEM].contains(code) }
        var message: String { "\(DisplayText.escaped(program)) cannot be run: \(String(cString: strerror(code)))" }
        var failure: Failure {
            Failure(status: code == ENOENT ? ExitStatus.notFound : ExitStatus.notExecutable, message)
        }
    }

    /// Runs a program to its end and returns its status; 128 and the signal's number if a signal ended it. `variables`
    /// are added to the environment. Throws ``StartError`` if the program cannot be started.
    ///
    /// It has a process group of its own, so that a signal that ends this command ends all that it has started. With a terminal as
    /// standard input it has not: only the group in the foreground may read from the terminal, and gets Ctrl-C.
    static func run(_ arguments: [[UInt8]], variables: [(name: String, value: [UInt8])]) async throws(StartError)
        -> Int32
    {
        let child = try startHoldingSignals(
            arguments, variables: variables, leadsGroup: !Terminal.isTerminal(STDIN_FILENO))
        let status = await wait(for: child)
        running.store(0, ordering: .sequentiallyConsistent)
        return Int32(Program.exitStatus(status))
    }

    /// Runs a program as ``run(_:variables:)`` does, and blocks this thread until its end.
    static func runBlocking(_ arguments: [[UInt8]]) throws(StartError) -> Int32 {
        let child = try startHoldingSignals(arguments, variables: [], leadsGroup: false)
        let status = waitBlocking(for: child)
        running.store(0, ordering: .sequentiallyConsistent)
        return Int32(Program.exitStatus(status))
    }

    /// Starts a program. A signal during the start ends both processes when the new one is known.
    private static func startHoldingSignals(
        _ arguments: [[UInt8]], variables: [(name: String, value: [UInt8])], leadsGroup: Bool
    ) throws(StartError) -> pid_t {
        self.leadsGroup.store(leadsGroup, ordering: .sequentiallyConsistent)
        running.store(starting, ordering: .sequentiallyConsistent)
        var child: pid_t = 0
        defer {
            running.store(child, ordering: .sequentiallyConsistent)
            Signals.endIfPending()
        }
        child = try start(arguments, variables: variables, leadsGroup: leadsGroup)
        return child
    }

    private static func start(
        _ arguments: [[UInt8]], variables: [(name: String, value: [UInt8])], leadsGroup: Bool
    ) throws(StartError) -> pid_t {
        let environment =
            Program.environment.filter { entry in
                !variables.contains { entry.starts(with: Array("\($0.name)=".utf8)) }
            } + variables.map { Array("\($0.name)=".utf8) + $0.value }
        do throws(SystemError) {
            return try Program.start(arguments, environment: environment, leadsGroup: leadsGroup)
        } catch {
            throw StartError(program: arguments.first ?? [], code: error.code)
        }
    }

    /// Waits on a thread of its own. The thread for tasks may be the only one, and the connection needs it.
    private static func wait(for child: pid_t) async -> Int32 {
        await withCheckedContinuation { continuation in
            let wait: @Sendable () -> Void = { continuation.resume(returning: waitBlocking(for: child)) }
            if let thread = try? Threads.start(wait) { thread.detach() } else { wait() }
        }
    }

    private static func waitBlocking(for child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }

}
