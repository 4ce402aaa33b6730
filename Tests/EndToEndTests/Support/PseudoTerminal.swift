// A program on a pseudo-terminal whose screen a test reads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TestSupport

/// A program with a pseudo-terminal of its own as its controlling terminal. A thread interprets what it writes.
final class PseudoTerminal: Sendable {
    private struct State {
        var screen: TerminalScreen
        var waiting: [CheckedContinuation<Void, Never>] = []
        var changes = 0
        var isAtEnd = false
    }

    /// TIOCGPTN and TIOCSPTLCK of ioctl_tty(2).
    private static let getNumber: UInt = 0x8004_5430
    private static let setLock: UInt = 0x4004_5431

    let processID: pid_t
    private let master: CInt
    private let state: Mutex<State>
    private let exit = Mutex<Int32?>(nil)

    init(
        path: String, _ arguments: [String], environment: [String: String], width: Int = 80, height: Int = 24
    ) {
        // ptmx(4) by its ioctls: the module of the C library has no posix_openpt(3).
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var number: UInt32 = 0
        var lock: CInt = 0
        precondition(
            ioctl(master, PseudoTerminal.getNumber, &number) == 0 && ioctl(master, PseudoTerminal.setLock, &lock) == 0,
            "/dev/ptmx: \(String(cString: strerror(errno)))")
        let name = "/dev/pts/\(number)"
        state = Mutex(State(screen: TerminalScreen(width: width, height: height)))
        var size = winsize(ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The leader of a new session gets the first terminal that it opens (tty_ioctl(4)).
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        closeInheritedDescriptors(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGPIPE, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let newSession: Int16 = 0x80
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | newSession)

        var variables = ProcessInfo.processInfo.environment
        for name in [
            "GATHER_SOCKET", "GATHER_SYNC_SOCKET", "GROCERY_CONTAINER", "NOTIFY_SOCKET", "NO_COLOR", "VISUAL", "EDITOR",
        ] {
            variables[name] = nil
        }
        variables.merge(["TERM": "xterm", "LC_ALL": "C.UTF-8", "TZ": "UTC"].merging(environment) { $1 }) { $1 }
        let argv = ([path] + arguments).map { strdup($0) } + [nil]
        let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var process = pid_t()
        let code = posix_spawn(&process, path, &actions, &attributes, argv, envp)
        precondition(code == 0, "\(path): \(String(cString: strerror(code)))")
        processID = process
        Thread.detachNewThread { [self] in read() }
    }

    deinit { close(master) }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(master, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // EIO: no process has the terminal open any more.
            guard count > 0 else { break }
            wake { $0.screen.take(buffer[..<count]) }
        }
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        exit.withLock { $0 = signal == 0 ? (status >> 8) & 0xFF : 128 + signal }
        wake { $0.isAtEnd = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            state.changes += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    var screen: TerminalScreen { state.withLock { $0.screen } }

    /// Waits until the screen is so, and returns it. Nil if the program has ended before.
    @discardableResult
    func until(_ isSo: (TerminalScreen) -> Bool) async -> TerminalScreen? {
        while true {
            let (screen, isAtEnd, known) = state.withLock { ($0.screen, $0.isAtEnd, $0.changes) }
            if isSo(screen) { return screen }
            if isAtEnd { return nil }
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.changes == known else { return false }
                    state.waiting.append(continuation)
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }

    /// Waits until a line of the screen has a text.
    @discardableResult
    func until(_ text: String) async -> TerminalScreen? { await until { $0.text.contains(text) } }

    /// Waits until no line of the screen has a text.
    @discardableResult
    func untilGone(_ text: String) async -> TerminalScreen? { await until { !$0.text.contains(text) } }

    /// Types keys. `\u{1B}` alone is the Esc key.
    func type(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Gives the window another size; the kernel sends SIGWINCH.
    func resize(width: Int, height: Int) {
        state.withLock { $0.screen.resize(width: width, height: height) }
        var size = winsize(ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    func kill(_ signal: Int32) { Glibc.kill(processID, signal) }

    /// Waits for the end, and returns the status; a signal's number and 128 if one ended it.
    func status() async -> Int32 {
        await until { _ in exit.withLock { $0 } != nil }
        return exit.withLock { $0 } ?? -1
    }

    /// Whether the terminal works by lines and echoes, as a shell has it.
    var isCooked: Bool {
        var settings = termios()
        guard tcgetattr(master, &settings) == 0 else { return false }
        return settings.c_lflag & tcflag_t(ICANON) != 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }
}
