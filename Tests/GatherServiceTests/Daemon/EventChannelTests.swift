// The inotify descriptor on an event loop.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import GatherService

@Suite struct EventChannelTests {
    /// A loop that polls a kernel of its own, and the events that it was told. `kernel` and `events` are used on the loop alone.
    private final class Polled: @unchecked Sendable {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop: any EventLoop
        private var kernel: LinuxKernel?
        private var events: EventChannel?
        /// Counts the calls of `ready`, with the bytes that were there then.
        let told = Mutex<[Int]>([])

        init(_ directory: TemporaryDirectory, handover: HandoverMemory? = nil) throws {
            loop = group.next()
            try loop.submit { [self] in
                let kernel = try LinuxKernel(handover: handover)
                self.kernel = kernel
                let opened = try Directory.open(directory.path, access: .reading)
                _ = try kernel.addWatch(on: opened.number, mask: .create)
                events = try EventChannel(kernel, loop: loop) { [self] in
                    let count = take()
                    told.withLock { $0.append(count) }
                } failed: {
                    Issue.record($0)
                }
            }.wait()
        }

        /// On the loop: bytes of what is read of the kernel now.
        func take() -> Int { (try? kernel?.readEvents(atMost: 65_536).count) ?? -1 }

        /// Whether what was read last never was in this process alone.
        func readsInPlace() throws -> Bool { try loop.submit { [self] in kernel?.readsInPlace == true }.wait() }

        func pause(_ isPaused: Bool) throws { try loop.submit { [self] in events?.isPaused = isPaused }.wait() }

        /// How often the loop's thread has slept, or waited for anything else.
        func sleeps() throws -> Int {
            try loop.submit {
                let file = try Entry.openForReading("/proc/thread-self/status")
                var bytes = [UInt8](repeating: 0, count: 8_192)
                let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
                let text = String(decoding: bytes[..<count], as: UTF8.self)
                let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
                return try #require(line.flatMap { Int($0.drop { !$0.isNumber }) })
            }.wait()
        }

        func close() throws {
            try loop.submit { [self] in
                events?.close()
                (events, kernel) = (nil, nil)
            }.wait()
            try group.syncShutdownGracefully()
        }
    }

    @Test func `A pause leaves the thread asleep whatever happens, and all events are there to be read`() throws {
        let directory = try TemporaryDirectory()
        let polled = try Polled(directory)
        try polled.pause(true)
        let count = 500
        // The thread may wait for something else, such as its own code from the disk; each event would wake it every time.
        let sleeps = try (0..<3).map { round in
            let before = try polled.sleeps()
            for number in 0..<count { try directory.write("", to: "file\(round * count + number)") }
            let sleeps = try polled.sleeps() - before
            let read = try polled.loop.submit { polled.take() }.wait()
            #expect(read == count * 32)
            return sleeps
        }
        #expect(sleeps.contains { $0 < count / 10 }, "\(sleeps) changes of threads")
        #expect(polled.told.withLock { $0 } == [])
        try polled.close()
    }

    @Test func `After each pause the loop is told again`() async throws {
        let directory = try TemporaryDirectory()
        let polled = try Polled(directory)
        for round in 0..<20 {
            try polled.pause(true)
            if round % 2 == 0 { try directory.write("", to: "in\(round)") }
            try polled.pause(false)
            if round % 2 == 1 { try directory.write("", to: "after\(round)") }
            while polled.told.withLock({ $0.count }) <= round { await Task.yield() }
        }
        // Each was told once, and was all there was.
        #expect(polled.told.withLock { $0 } == Array(repeating: 32, count: 20))
        try polled.close()
    }

    /// A buffer of the channel's own for the first read after each pause would be 256 KiB that are never freed, and for as long as
    /// an event is only there the end of the process would lose it.
    @Test func `Kept events are read in place from the first read on`() async throws {
        let directory = try TemporaryDirectory()
        let polled = try Polled(directory, handover: try HandoverMemory())
        for round in 0..<20 {
            try directory.write("", to: "file\(round)")
            while polled.told.withLock({ $0.count }) <= round { await Task.yield() }
            let isInPlace = try polled.readsInPlace()
            #expect(isInPlace, "after \(round) pauses")
            try polled.pause(true)
            try polled.pause(false)
        }
        #expect(polled.told.withLock { $0 } == Array(repeating: 32, count: 20))
        try polled.close()
    }

    @Test func `A pause within what is called for events`() async throws {
        let directory = try TemporaryDirectory()
        let polled = try Polled(directory)
        for round in 0..<10 {
            try directory.write("", to: "file\(round)")
            while polled.told.withLock({ $0.count }) <= round { await Task.yield() }
            try polled.pause(true)
            try polled.pause(true)
            try polled.pause(false)
        }
        try polled.close()
    }
}
