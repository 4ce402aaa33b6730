// A program that a test runs: its output as lines while it runs, or whole when it has ended.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Glibc

/// A running program. Its standard output is read on a thread of its own, so that it never waits for the test.
///
/// Tests do not use Foundation's `Process`. Where the test runner has thousands of descriptors open, it reads beyond the entries
/// of /proc/self/fd and is killed. `FileHandle` ends the process when a signal interrupts its read(2).
package final class ChildProcess: Sendable {
    package struct Result: Sendable {
        /// The exit status; a signal's number and 128 where it was killed.
        package var status: Int32
        package var output: [UInt8]
        package var errors: String

        package var text: String { String(decoding: output, as: UTF8.self) }
        package var lines: [String] {
            text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    package let processID: pid_t
    private let command: String
    private let output: PipeReader
    private let errors: PipeReader
    private let input: CInt
    private let ending = Ending()

    package init(
        path: String, _ arguments: [String], environment: [String: String] = [:], input text: String? = "",
        closesOutput: Bool = false
    ) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let (inputEnd, outputEnd, errorEnd) = (Self.pipe(), Self.pipe(), Self.pipe())
        posix_spawn_file_actions_adddup2(&actions, inputEnd.read, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, outputEnd.write, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errorEnd.write, STDERR_FILENO)
        closeInheritedDescriptors(&actions)

        // The runner of tests may ignore or block signals that a shell would not.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGPIPE, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var variables = ProcessInfo.processInfo.environment
        for name in [
            "GATHER_SOCKET", "GATHER_SYNC_SOCKET", "GROCERY_CONTAINER", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID",
        ] {
            variables[name] = nil
        }
        // A busy machine decides nothing.
        variables["GATHER_ANSWER_SECONDS"] = "\(Patience.seconds)"
        variables.merge(environment) { $1 }
        let argv = ([path] + arguments).map { strdup($0) } + [nil]
        let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var process = pid_t()
        let code = posix_spawn(&process, path, &actions, &attributes, argv, envp)
        precondition(code == 0, "\(path): \(String(cString: strerror(code)))")
        processID = process
        command = ([path] + arguments).joined(separator: " ")
        for descriptor in [inputEnd.read, outputEnd.write, errorEnd.write] { close(descriptor) }

        input = inputEnd.write
        output = PipeReader(outputEnd.read, closes: closesOutput)
        errors = PipeReader(errorEnd.read)
        if let text {
            let descriptor = input
            Thread.detachNewThread {
                var rest = Array(text.utf8)[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
                close(descriptor)
            }
        }
        let ending = ending, started = process
        Thread.detachNewThread {
            var status: Int32 = 0
            while waitpid(started, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            ending.finish(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
        }
    }

    private static func pipe() -> (read: CInt, write: CInt) {
        // Not pipe(2): a program started at the same time must not inherit the ends, or the output has no end.
        typealias Pipe = @convention(c) (UnsafeMutablePointer<CInt>, CInt) -> CInt
        var ends: [CInt] = [-1, -1]
        precondition(cFunction("pipe2", as: Pipe.self)(&ends, O_CLOEXEC) == 0)
        return (ends[0], ends[1])
    }

    /// Returns the next line of its output, without the end; nil if there are no more. A process that writes none for too long is
    /// killed.
    package func nextLine() async -> String? {
        await patiently("a line of") { await output.nextLine() }
    }

    /// Returns the next line of its errors, as ``nextLine()`` does of its output.
    package func nextErrorLine() async -> String? {
        await patiently("an error of") { await errors.nextLine() }
    }

    /// Whether the process has not ended yet.
    package var isRunning: Bool { Glibc.kill(processID, 0) == 0 }

    package func kill(_ signal: Int32 = SIGTERM) { Glibc.kill(processID, signal) }

    /// Waits until it has ended and all of its output is there. A process that does not end is killed.
    package func result() async -> Result {
        await patiently("the end of") {
            let status = await ending.status()
            return Result(
                status: status, output: await output.all(), errors: String(decoding: await errors.all(), as: UTF8.self))
        }
    }

    private func patiently<Value: Sendable>(_ what: String, _ body: () async -> Value) async -> Value {
        await Patience.await("\(what) \(command)", body) { [processID, ending, output, errors] in
            // The process identifier of one that has ended may be another's by now.
            if !ending.isFinished { Glibc.kill(processID, SIGKILL) }
            output.giveUp()
            errors.giveUp()
        }
    }
}
