// gather bridge: the daemon's socket as standard input and output.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc
internal import LinuxSystem

struct BridgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge",
        abstract: "Connect standard input and output to the daemon, for other machines.",
        usage: "gather bridge [<options>]",
        discussion: """
            'gather -H HOST' runs this command on HOST through ssh. Any program that speaks Varlink can do the same. The command \
            ends when the daemon closes the connection, or when the output has no reader. After the end of the input it goes on \
            with answers and live queries. With --end-with-input it sends line ends between messages, as signs of life.

            EXAMPLES
              ssh attic gather bridge
              varlinkctl info ssh-exec:attic:'gather bridge'
            """)

    @Flag(
        name: .customLong("end-with-input"),
        help: "End as soon as the input ends, without waiting for answers.")
    var endsWithInput = false

    @OptionGroup var connection: ConnectionOptions

    mutating func run() throws {
        let daemon = connection.daemon
        let descriptor = try daemon.connectedDescriptor()
        let endsWithInput = endsWithInput
        let sender = try Threads.start {
            // A daemon that does not take all of a question has answered it, and the answer is copied below.
            _ = try? ByteCopy.run(from: STDIN_FILENO, to: descriptor)
            if endsWithInput { Glibc.exit(0) }
            shutdown(descriptor, CInt(SHUT_WR))
        }
        sender.detach()
        // White space before a message means nothing in JSON.
        let signOfLife = endsWithInput ? Array("\n".utf8) : []
        let code = try ByteCopy.run(from: descriptor, to: STDOUT_FILENO, signOfLife: signOfLife) {
            try daemon.checkLife()
        }
        // A reader that is gone needs no message.
        guard code == 0 || code == EPIPE || code == ECONNRESET else {
            throw Failure("the connection cannot be continued: \(String(cString: strerror(code)))")
        }
    }
}

/// Copies bytes from one descriptor to another.
private enum ByteCopy {
    private static let pieceBytes = 128 << 10

    /// Copies until the end of the input. Returns 0, or the errno that prevented it. With `check`, it is called after each
    /// silence of the input, and ends the copy by throwing. The sign of life is written at first, and after each check that is not
    /// within a message.
    static func run(
        from input: CInt, to output: CInt, signOfLife: [UInt8] = [], _ check: (() throws -> Void)? = nil
    ) throws -> CInt {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 1)
        defer { memory.deallocate() }
        var isBetweenMessages = true
        func live() -> CInt { isBetweenMessages ? signOfLife.withUnsafeBytes { Output.write($0, to: output) } : 0 }
        var code = live()
        while code == 0 {
            if let check {
                var poll = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
                let silence =
                    signOfLife.isEmpty
                    ? DaemonSocket.silenceMilliseconds
                    : min(DaemonSocket.silenceMilliseconds, DaemonSocket.bridgeBeatMilliseconds)
                if Glibc.poll(&poll, 1, silence) == 0 {
                    try check()
                    code = live()
                    continue
                }
            }
            let count = read(input, memory.baseAddress, memory.count)
            if count == 0 { return 0 }
            if count > 0 {
                code = Output.write(UnsafeRawBufferPointer(rebasing: memory[..<count]), to: output)
                isBetweenMessages = memory[count - 1] == 0
            } else if errno == EAGAIN {
                // Another process may have made the input non-blocking.
                var poll = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
                _ = Glibc.poll(&poll, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return code
    }
}
