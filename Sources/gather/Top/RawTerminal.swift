// The terminal as a full screen, restored at the end.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The terminal of this process as a full screen: single keys, on the alternate screen. The terminal is restored at the
/// end of the process, except after SIGKILL.
enum RawTerminal {
    /// The signals that the loop handles.
    private static let handled = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]
    /// The other signals that end a process (signal(7)).
    private static let fatal = [
        SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM, SIGPROF,
        SIGUSR1,
        SIGUSR2, SIGSTKFLT, SIGIO, SIGPWR,
    ]

    // Written before the handlers are installed, by the one thread that draws, and only read by them.
    private nonisolated(unsafe) static var before = termios()
    private nonisolated(unsafe) static var pipeEnd: Int32 = -1
    private nonisolated(unsafe) static var isRaw = false

    /// The text that enters the alternate screen and hides the cursor, and the text that leaves it.
    private static let enterText: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
    private static let leaveText: StaticString = "\u{1B}[?25h\u{1B}[?1049l"

    /// Sets the terminal, and returns a descriptor from which the numbers of signals are read, one byte each. Nil if
    /// the terminal cannot be set.
    static func begin() -> Int32? {
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        // A handler must not block, and no other program inherits the pipe.
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        pipeEnd = ends[1]
        for number in handled {
            signal(number) { number in
                let code = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(RawTerminal.pipeEnd, &byte, 1)
                errno = code
            }
        }
        for number in fatal {
            signal(number) { number in
                RawTerminal.leave()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        enter()
        return ends[0]
    }

    static func enter() {
        var raw = before
        // Ctrl-C, Ctrl-\ and Ctrl-Z stay signals.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        put(enterText)
        isRaw = true
    }

    /// Restores the terminal, with the system calls of signal-safety(7) only.
    static func leave() {
        guard isRaw else { return }
        isRaw = false
        put(leaveText)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
    }

    private static func put(_ text: StaticString) { _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount) }

    /// Ends the process by the signal itself, so that the shell sees it.
    static func end(by number: Int32) -> Never {
        leave()
        if number == SIGINT { exit(ExitStatus.interrupted) }
        signal(number, SIG_DFL)
        raise(number)
        exit(128 + number)
    }

    /// Stops the process as Ctrl-Z does, and returns when it continues.
    static func suspend() {
        leave()
        raise(SIGSTOP)
        enter()
    }

    /// Columns of a terminal.
    static func columns(_ descriptor: Int32) -> Int {
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Columns and lines.
    static var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
