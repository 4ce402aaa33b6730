// Waiting for the ends of programs, and their output.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

extension Program {
    /// Waits for the end of a program that this one has started (waitpid(2)). Blocks the thread.
    ///
    /// - Returns: The exit status; a signal's number and 128 if a signal ended the program.
    package static func waitForEnd(of process: CInt) throws(SystemError) -> Int {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 {
            if errno != EINTR { throw SystemError(code: errno) }
        }
        return exitStatus(status)
    }

    /// Returns the exit status that waitpid(2) has given; a signal's number and 128 if a signal ended the program.
    package static func exitStatus(_ status: CInt) -> Int {
        let signal = status & 0x7F
        return Int(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
    }

    /// Bytes of the output of ``output(of:)`` at most.
    private static let outputLimit = 16 << 20

    /// Runs a program without input to its end, and returns its standard output. Messages on standard error go nowhere.
    /// Blocks the thread.
    ///
    /// - Returns: The output; nil if the program cannot be started, has ended with an error, or writes more than 16 MiB.
    package static func output(of arguments: [[UInt8]]) -> [UInt8]? {
        do throws(SystemError) {
            let null = try Entry.openForReadingAndWriting("/dev/null")
            var ends: [CInt] = [-1, -1]
            _ = try systemCall { clinux_pipe(&ends) }
            let reader = Descriptor(owning: ends[0])
            // Given to the program, and closed here, or the reader would wait for this process.
            let process = try startWriting(to: Descriptor(owning: ends[1]), null, arguments)
            let output = readToEnd(consume reader)
            return try waitForEnd(of: process) == 0 ? output : nil
        } catch {
            return nil
        }
    }

    private static func startWriting(
        to writer: consuming Descriptor, _ null: borrowing Descriptor, _ arguments: [[UInt8]]
    ) throws(SystemError) -> CInt {
        try start(
            arguments,
            descriptors: [
                .init(null.number, as: STDIN_FILENO), .init(writer.number, as: STDOUT_FILENO),
                .init(null.number, as: STDERR_FILENO),
            ])
    }

    /// Closes the reader at the end, so that a program that writes too much ends, too.
    private static func readToEnd(_ reader: consuming Descriptor) -> [UInt8]? {
        var bytes: [UInt8] = []
        return withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            while bytes.count <= outputLimit {
                guard let count = try? reader.read(into: buffer) else { return nil }
                if count == 0 { return bytes }
                bytes += buffer[..<count]
            }
            return nil
        }
    }
}
