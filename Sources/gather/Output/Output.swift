// What the command writes: whole buffers to standard output, sentences to standard error.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

/// Standard output, written in large pieces. Used by one thread at a time: the commands are sequential, and the live ones
/// print from the one task that reads the notifications.
struct Output: ~Copyable {
    /// How much is gathered before it is written.
    private static let pieceBytes = 128 << 10

    private var buffer: [UInt8] = []
    /// Closes a line or, with `-0`, a name.
    private let terminator: UInt8

    init(nulTerminated: Bool = false) {
        terminator = nulTerminated ? 0 : UInt8(ascii: "\n")
        buffer.reserveCapacity(Output.pieceBytes + 4096)
    }

    /// Adds a line's bytes and its end.
    @inline(__always)
    mutating func line(_ bytes: UnsafeRawBufferPointer) {
        buffer.append(contentsOf: bytes)
        buffer.append(terminator)
        if buffer.count >= Output.pieceBytes { flush() }
    }

    mutating func line(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { line($0) }
    }

    mutating func line(_ text: String) {
        var text = text
        text.withUTF8 { line(UnsafeRawBufferPointer($0)) }
    }

    /// Adds bytes as they are.
    mutating func text(_ bytes: [UInt8]) { buffer += bytes }

    /// Writes what has been gathered. A reader that is gone ends the process quietly: there is nobody left to tell.
    mutating func flush() {
        let code = buffer.withUnsafeBytes { Output.write($0, to: STDOUT_FILENO) }
        buffer.removeAll(keepingCapacity: true)
        switch code {
        case 0: return
        case EPIPE: exit(0)
        default:
            Output.note("cannot write: \(String(cString: strerror(code)))")
            exit(ExitStatus.failure)
        }
    }

    /// Writes all of `bytes`; 0, or the errno that prevented it.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                // A terminal or pipe that somebody else made non-blocking.
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Glibc.poll(&poll, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Waits until nobody can read standard output any more, and ends the process quietly. A file always can be read, so
    /// this may wait for ever.
    static func waitUntilNobodyReads() -> Never {
        while true {
            // No event is asked for; POLLERR, that the other end of a pipe is closed, comes unasked (poll(2)).
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            if poll(&output, 1, -1) > 0 { exit(0) }
        }
    }

    /// A sentence on standard error, with the command's name before it.
    static func note(_ message: String) {
        let mark = Terminal.hasColor(STDERR_FILENO) ? "\u{1B}[1mgather:\u{1B}[0m " : "gather: "
        let text = Array((mark + message + "\n").utf8)
        _ = text.withUnsafeBytes { write($0, to: STDERR_FILENO) }
    }
}
