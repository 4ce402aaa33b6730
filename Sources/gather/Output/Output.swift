// Output of the command: whole buffers to standard output, sentences to standard error.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import LinuxSystem

/// Standard output, written in large pieces. Lines for a terminal are safe there (``TerminalText``).
///
/// Used by one thread at a time: the commands are sequential, and the live
/// ones print from the one task that reads the notifications.
struct Output: ~Copyable {
    /// The bytes that are buffered before they are written.
    private static let pieceBytes = 128 << 10

    private var buffer: [UInt8] = []
    /// The byte at the end of each line; NUL with `-0`.
    private let terminator: UInt8
    private let isTerminal = Terminal.isTerminal()

    init(nulTerminated: Bool = false) {
        // No capacity is reserved here: Swift 6.3 then makes optimized code of `gather watch` that releases an address which
        // was never set.
        terminator = nulTerminated ? 0 : UInt8(ascii: "\n")
    }

    /// Adds a line's bytes and its end.
    @inline(__always)
    mutating func line(_ bytes: UnsafeRawBufferPointer) {
        if isTerminal {
            buffer += TerminalText.shown(bytes).utf8
        } else {
            buffer.append(contentsOf: bytes)
        }
        buffer.append(terminator)
        if buffer.count >= Output.pieceBytes { flush() }
    }

    mutating func line(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { line($0) }
    }

    /// Adds a line that the command composed. Its colours stay.
    mutating func line(_ text: String) {
        buffer += (isTerminal ? TerminalText.shown(coloured: text) : text).utf8
        buffer.append(terminator)
        if buffer.count >= Output.pieceBytes { flush() }
    }

    /// Adds bytes as they are: sequences that draw on the terminal. The text between them is the caller's to escape.
    mutating func text(_ bytes: [UInt8]) { buffer += bytes }

    /// Writes the buffer. If the pipe is closed, the process ends quietly, since its reader needs no more.
    mutating func flush() {
        let code = buffer.withUnsafeBytes { Output.write($0, to: STDOUT_FILENO) }
        buffer.removeAll(keepingCapacity: true)
        switch code {
        case 0: return
        case EPIPE: exit(0)
        default:
            Output.note("standard output cannot be written: \(String(cString: strerror(code)))")
            exit(ExitStatus.failure)
        }
    }

    /// Writes all of `bytes`; 0, or the errno that prevented it.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                // Another process may have made the terminal or pipe non-blocking.
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Glibc.poll(&poll, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Waits until the pipe of standard output is closed, and ends the process quietly. Waits for ever for a file or
    /// terminal.
    static func waitUntilNobodyReads() -> Never {
        while true {
            // No event is asked for; POLLERR, that the other end of a pipe is closed, comes unasked (poll(2)).
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            if poll(&output, 1, -1) > 0 { exit(0) }
        }
    }

    /// A remark for a person at the terminal of standard error, dim.
    static func remark(_ message: String) {
        let text = Array(
            (Color.dim.paint(TerminalText.shown(message), if: Terminal.hasColor(STDERR_FILENO)) + "\n").utf8)
        _ = text.withUnsafeBytes { write($0, to: STDERR_FILENO) }
    }

    /// A question on standard error, without a line end.
    static func prompt(_ text: String) {
        let text = Array(TerminalText.shown(coloured: text).utf8)
        _ = text.withUnsafeBytes { write($0, to: STDERR_FILENO) }
    }

    /// Asks a question that the return key answers with yes. Returns whether it was.
    static func confirm(_ question: String) -> Bool {
        prompt("\(question) [Y/n] ")
        guard let answer = readLine() else { return false }
        return ["", "y", "yes"].contains(answer.lowercased())
    }

    /// A sentence on standard error, with the command's name before it.
    static func note(_ message: String) {
        let mark = Terminal.hasColor(STDERR_FILENO) ? "\u{1B}[1mgather:\u{1B}[0m " : "gather: "
        let text = Array((mark + TerminalText.shown(message) + "\n").utf8)
        _ = text.withUnsafeBytes { write($0, to: STDERR_FILENO) }
    }
}
