// Writing to standard output and standard error.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem

enum Output {
    /// Prints lines. If the reader has closed the pipe, the program ends without a message.
    static func print(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        let text = lines.joined(separator: "\n") + "\n"
        write(isTerminal ? TerminalText.shown(coloured: text) : text)
    }

    /// Writes a text for programs: for a terminal safe there (``TerminalText``), else unchanged.
    static func show(_ text: String) { write(isTerminal ? TerminalText.shown(text) : text) }

    /// Writes text unchanged: pictures, and sequences that draw on the terminal.
    static func write(_ text: String) {
        let code = write(text, to: STDOUT_FILENO)
        if code == EPIPE { exit(0) }
        if code != 0 {
            note("cannot write: \(String(cString: strerror(code)))")
            exit(1)
        }
    }

    /// Writes a message to standard error.
    static func note(_ message: String) { _ = write("grocery: \(TerminalText.shown(message))\n", to: STDERR_FILENO) }

    /// Asks a question on standard error, which the return key answers with yes. Returns whether it was.
    static func confirm(_ question: String) -> Bool {
        _ = write("\(TerminalText.shown(question)) [Y/n] ", to: STDERR_FILENO)
        guard let answer = readLine() else { return false }
        return ["", "y", "yes"].contains(answer.lowercased())
    }

    /// Asks a question on standard error. Returns the answer; "n" at the end of standard input.
    static func ask(_ question: String) -> String {
        _ = write("\(TerminalText.shown(question)) ", to: STDERR_FILENO)
        return readLine() ?? "n"
    }

    /// Whether a person can be asked.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
