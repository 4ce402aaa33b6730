// A log without a reader holds up no caller, and says what it lost.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import Testing

@testable import SystemdSupport

struct LogQueueTests {
    /// A pipe that takes nothing more until it is read, and the bytes in it.
    private static func fullPipe() throws -> (read: CInt, write: CInt, count: Int) {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        let flags = fcntl(ends[1], F_GETFL)
        try #require(fcntl(ends[1], F_SETFL, flags | O_NONBLOCK) == 0)
        var count = 0
        while Glibc.write(ends[1], ".", 1) == 1 { count += 1 }
        try #require(errno == EAGAIN && fcntl(ends[1], F_SETFL, flags) == 0)
        return (ends[0], ends[1], count)
    }

    @Test func `A full pipe holds up no caller, and later it has all messages in order or their number`() throws {
        let pipe = try LogQueueTests.fullPipe()
        let queue = LogQueue()
        let logger = Logger(label: "test") { _ in
            StandardErrorLogHandler(logLevel: .info, descriptor: pipe.write, queue: queue)
        }
        let count = LogQueue.mostBytes / 100
        for number in 0..<count { logger.info("\(number) \(String(repeating: "x", count: 100))") }
        // It gives up waiting.
        queue.finish()
        var lines = PipeLines(pipe.read)
        var written = 0
        while true {
            var line = try lines.next()
            if written == 0 { line.removeFirst(pipe.count) }
            if let lost = line.firstMatch(of: /: (\d+) messages of the log were lost$/) {
                #expect(Int(lost.1) == count - written)
                break
            }
            try #require(line.contains(" info: \(written) x"), "\(line)")
            written += 1
        }
        #expect(written > count / 2 && written < count)
        logger.info("afterwards")
        try #expect(lines.next().hasSuffix(" info: afterwards"))
        close(pipe.read)
        close(pipe.write)
    }

    @Test func `The number of lost messages is told before the next message`() throws {
        let pipe = try LogQueueTests.fullPipe()
        let queue = LogQueue()
        let handler = StandardErrorLogHandler(logLevel: .info, descriptor: pipe.write, queue: queue)
        let long = String(repeating: "x", count: LogQueue.mostBytes - 10)
        handler.add(line: long)
        handler.add(line: "too long for the rest")
        handler.add(line: "short")
        var lines = PipeLines(pipe.read)
        try #expect(lines.next().count == pipe.count + long.count)
        try #expect(lines.next().hasSuffix(" warning: 1 message of the log was lost"))
        try #expect(lines.next() == "short")
        close(pipe.read)
        close(pipe.write)
    }
}
