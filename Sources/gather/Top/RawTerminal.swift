// A terminal that is drawn on as a whole, and left as it was found.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The terminal of this process while something is drawn on it as a whole: keys come one by one, and the screen is another
/// than the one that the shell has. However the process ends, the terminal is as it was before; what cannot be caught is
/// SIGKILL.
enum RawTerminal {
    /// Signals that are told to the loop, in place of what they do otherwise.
    private static let told = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]
    /// The others by which a process ends (signal(7)): one that has a fault or spent its share, and one that somebody ends so.
    private static let fatal = [
        SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM, SIGPROF,
        SIGUSR1,
        SIGUSR2, SIGSTKFLT, SIGIO, SIGPWR,
    ]

    // Written before the handlers are installed, by the one thread that draws, and only read by them.
    private nonisolated(unsafe) static var before = termios()
    private nonisolated(unsafe) static var pipeEnd: Int32 = -1
    private nonisolated(unsafe) static var isRaw = false

    /// Another screen, no cursor; and back.
    private static let enterText: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
    private static let leaveText: StaticString = "\u{1B}[?25h\u{1B}[?1049l"

    /// Begins, and returns a descriptor from which the numbers of signals are read, a byte each. Nil where the terminal cannot
    /// be set.
    static func begin() -> Int32? {
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        // A handler must not wait, and programs that this starts, of which there are none, not have it.
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        pipeEnd = ends[1]
        for number in told {
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
        // Ctrl-C, Ctrl-\ and Ctrl-Z still are signals.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        put(enterText)
        isRaw = true
    }

    /// Leaves the terminal as it was. Nothing but system calls that a handler of signals may make (signal-safety(7)).
    static func leave() {
        guard isRaw else { return }
        isRaw = false
        put(leaveText)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
    }

    private static func put(_ text: StaticString) { _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount) }

    /// Ends the process as the signal would have, so that a shell sees why.
    static func end(by number: Int32) -> Never {
        leave()
        if number == SIGINT { exit(ExitStatus.interrupted) }
        signal(number, SIG_DFL)
        raise(number)
        exit(128 + number)
    }

    /// Stops as Ctrl-Z would have, and returns when the process goes on.
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
