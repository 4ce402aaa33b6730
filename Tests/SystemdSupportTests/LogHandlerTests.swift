// The output of the two handlers: to a pipe, and to a socket at the journal's place.
// SPDX-License-Identifier: Apache-2.0

// `timespec` may belong to the module of libsystemd's headers, by the order in which the compiler reads them.
import CSystemd
import Glibc
import Logging
import TestSupport
import Testing

@testable import SystemdSupport

struct LogHandlerTests {
    @Test func `Standard error gets one line a message, with its time and the metadata of all sources`() throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        let queue = LogQueue()
        let handler = StandardErrorLogHandler(
            logLevel: .info, descriptor: ends[1], queue: queue,
            time: { timespec(tv_sec: 1_795_602_082, tv_nsec: 7_999_999) })
        var logger = Logger(label: "test") { _ in handler }
        logger[metadataKey: "container"] = "music"
        logger.warning("unreadable", metadata: ["container": "grocery", "message-id": "unreadable-directory"])
        logger.debug("not shown")
        logger.error("failed", error: SystemdError.call("x", errno: 2))
        let time = StandardErrorLogHandler.text(of: timespec(tv_sec: 1_795_602_082, tv_nsec: 7_999_999))
        var lines = PipeLines(ends[0])
        try #expect(lines.next() == "\(time) warning: unreadable container=grocery")
        try #expect(
            lines.next() == "\(time) error: failed container=music error=\"x failed: No such file or directory\"")
        close(ends[0])
        close(ends[1])
    }

    @Test func timesAreLocalWithTheirOffset() async {
        await #expect(processExitsWith: .success) {
            let time = timespec(tv_sec: 1_795_602_082, tv_nsec: 7_999_999)
            for (zone, text) in [
                ("UTC0", "2026-11-25T10:21:22.007+00:00"), ("XYZ-5:30", "2026-11-25T15:51:22.007+05:30"),
                ("ABC9:30", "2026-11-25T00:51:22.007-09:30"),
            ] {
                setenv("TZ", zone, 1)
                tzset()
                #expect(StandardErrorLogHandler.text(of: time) == text)
            }
        }
    }

    @Test func `Standard error is the journal only where JOURNAL_STREAM names that very file`() async {
        await #expect(processExitsWith: .success) {
            var ends: [CInt] = [0, 0]
            try #require(pipe(&ends) == 0)
            var status = stat()
            try #require(fstat(ends[1], &status) == 0)
            unsetenv("JOURNAL_STREAM")
            #expect(!JournalLogHandler.isJournal(descriptor: ends[1]))
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
            #expect(JournalLogHandler.isJournal(descriptor: ends[1]))
            #expect(!JournalLogHandler.isJournal(descriptor: -1))
            for other in [
                "\(status.st_dev):\(status.st_ino + 1)", "\(status.st_dev + 1):\(status.st_ino)", "", ":", "x",
            ] {
                setenv("JOURNAL_STREAM", other, 1)
                #expect(!JournalLogHandler.isJournal(descriptor: ends[1]), "\(other)")
            }
        }
    }

    // The journal's socket has a fixed path, so the test puts its own there, in a mount namespace of one thread.
    @Test(.needsRoot("namespaces"))
    func `The journal receives the fields in its native protocol`() async {
        await #expect(processExitsWith: .success) {
            try #require(unshareMounts() == 0)
            try #require(mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0)
            try #require(mount("tmpfs", "/run", "tmpfs", 0, nil) == 0)
            mkdir("/run/systemd", 0o755)
            mkdir("/run/systemd/journal", 0o755)
            let journal = try DatagramSocket(path: "/run/systemd/journal/socket")
            let logger = Logger(label: "test") { _ in JournalLogHandler(identifier: "gatherd") }
            logger.notice(
                "live", metadata: ["container": "grocery", "path": "a\nb"], file: "F.swift", function: "f()", line: 3)
            // The log has a thread of its own.
            let patience = Patience()
            var received = journal.receive()
            while received == nil, !patience.isOver { received = journal.receive() }
            let entry = try #require(received)
            // Values without a line end are NAME=value; with one, NAME, its length in 64 bits little-endian, its bytes.
            let expected =
                Array(
                    """
                    MESSAGE=live container=grocery path=a\\nb
                    PRIORITY=5
                    SYSLOG_IDENTIFIER=gatherd
                    CODE_FILE=F.swift
                    CODE_LINE=3
                    CODE_FUNC=f()
                    GATHERD_CONTAINER=grocery
                    GATHERD_PATH

                    """.utf8) + [3, 0, 0, 0, 0, 0, 0, 0] + Array("a\nb\n".utf8)
            #expect(
                entry == expected,
                "\(String(decoding: entry, as: UTF8.self))")
            #expect(journal.receive() == nil)
        }
    }
}

/// `unshare(CLONE_NEWNS)`, which the Glibc module does not show.
private func unshareMounts() -> CInt {
    guard let symbol = dlsym(nil, "unshare") else { return -1 }
    return unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)(0x20000)
}
