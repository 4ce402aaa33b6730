// A program that a test runs: its output as lines while it runs, or whole when it has ended.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TestSupport

/// One of the built programs.
enum Product: String {
    case gatherd
    case gather
    case grocery

    /// Where it lies: in the directory that `GATHER_TEST_PROGRAMS` names, so that what the optimizer made can be tested
    /// too, or beside the bundle of tests.
    var path: String {
        if let directory = ProcessInfo.processInfo.environment["GATHER_TEST_PROGRAMS"] {
            return directory + "/" + rawValue
        }
        let candidates = ["/proc/self/exe"] + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
        let paths = candidates.map {
            URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path() + rawValue
        }
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
            fatalError("\(rawValue) is not in \(paths)")
        }
        return path
    }
}

/// A running program. Its standard output is read on a thread of its own, so that it never waits for the test.
final class ChildProcess: Sendable {
    struct Result: Sendable {
        /// The exit status; a signal's number and 128 where it was killed.
        var status: Int32
        var output: [UInt8]
        var errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
        var lines: [String] {
            text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    let processID: pid_t
    private let output: PipeReader
    private let errors: PipeReader
    private let input: CInt
    private let ending = Ending()

    convenience init(
        _ product: Product, _ arguments: [String], environment: [String: String] = [:], input text: String? = "",
        closesOutput: Bool = false
    ) {
        self.init(
            path: product.path, arguments, environment: environment, input: text, closesOutput: closesOutput)
    }

    init(
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
        for name in ["GATHER_SOCKET", "GROCERY_CONTAINER", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID"] {
            variables[name] = nil
        }
        variables.merge(environment) { $1 }
        let argv = ([path] + arguments).map { strdup($0) } + [nil]
        let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var process = pid_t()
        let code = posix_spawn(&process, path, &actions, &attributes, argv, envp)
        precondition(code == 0, "\(path): \(String(cString: strerror(code)))")
        processID = process
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

    /// The next line of its output, without the end; nil where there are no more.
    func nextLine() async -> String? { await output.nextLine() }

    func kill(_ signal: Int32 = SIGTERM) { Glibc.kill(processID, signal) }

    /// Waits until it has ended and all of its output is there.
    func result() async -> Result {
        let status = await ending.status()
        return Result(
            status: status, output: await output.all(), errors: String(decoding: await errors.all(), as: UTF8.self))
    }
}

/// Runs a program to its end.
func run(
    _ product: Product, _ arguments: String..., environment: [String: String] = [:], input: String = ""
) async -> ChildProcess.Result {
    await ChildProcess(product, arguments, environment: environment, input: input).result()
}

/// The end of a process, awaited by any number of tasks.
private final class Ending: Sendable {
    private struct State {
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    private let state = Mutex(State())

    func finish(_ status: Int32) {
        let waiting = state.withLock { state in
            state.status = status
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: status) }
    }

    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state in
                if state.status == nil { state.waiting.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }
}

/// What comes out of a pipe, kept whole and given out as lines. One task may wait for lines at a time.
private final class PipeReader: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// Up to where lines have been given out.
        var taken = 0
        var isAtEnd = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    init(_ descriptor: CInt, closes: Bool = false) {
        Thread.detachNewThread { [self] in
            if closes {
                var byte: UInt8 = 0
                _ = Glibc.read(descriptor, &byte, 1)
            } else {
                read(descriptor)
            }
            close(descriptor)
            wake { $0.isAtEnd = true }
        }
    }

    private func read(_ descriptor: CInt) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            wake { $0.bytes += buffer[..<count] }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            return state.waiting.take()
        }
        waiting?.resume()
    }

    func nextLine() async -> String? {
        while true {
            let (line, isAtEnd, known) = state.withLock { state -> (String?, Bool, Int) in
                guard let end = state.bytes[state.taken...].firstIndex(of: UInt8(ascii: "\n")) else {
                    return (nil, state.isAtEnd, state.bytes.count)
                }
                let line = state.bytes[state.taken..<end]
                state.taken = end + 1
                return (String(decoding: line, as: UTF8.self), false, state.bytes.count)
            }
            if let line { return line }
            if isAtEnd { return nil }
            await change(since: known)
        }
    }

    func all() async -> [UInt8] {
        while true {
            let (isAtEnd, known) = state.withLock { ($0.isAtEnd, $0.bytes.count) }
            if isAtEnd { break }
            await change(since: known)
        }
        return state.withLock { $0.bytes }
    }

    /// Waits until there is more than `known` bytes, or the end.
    private func change(since known: Int) async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard !state.isAtEnd, state.bytes.count == known else { return false }
                precondition(state.waiting == nil, "one task reads at a time")
                state.waiting = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }
}
