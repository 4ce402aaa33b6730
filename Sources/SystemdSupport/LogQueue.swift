// Log messages that wait to be written.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import LinuxSystem
import Logging
import Synchronization

/// Writes log messages on a thread of its own. So a pipe or a journal without a reader stops no thread that logs.
/// Messages are written in the order in which they were added. Beyond ``mostBytes`` they are dropped and counted, and a
/// message in their place has the number.
package final class LogQueue: Sendable {
    /// The queue of this process.
    package static let shared = LogQueue()

    /// The size of all messages that wait, with the one that is being written.
    static let mostBytes = 1 << 20
    /// The longest wait for the last messages at the end of the process, in milliseconds. systemctl(1) shows a service as stopping
    /// meanwhile.
    private static let longestEnd = 500

    private struct Message {
        var bytes: Int
        var write: @Sendable () -> Void
    }

    private struct State {
        var messages: [Message] = []
        var bytes = 0
        /// The dropped messages that no message has told of yet, and the way to tell of them.
        var lost = 0
        var reportLost: (@Sendable (Int) -> Void)?
        var isWriting = false
        var hasThread = false
        var isEnding = false
    }

    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)
    private let isWritten = DispatchSemaphore(value: 0)

    init() {}

    /// Adds a message. Returns at once, on any thread.
    ///
    /// - Parameters:
    ///   - bytes: The size of the message.
    ///   - tellLost: Writes how many messages were dropped.
    ///   - write: Writes the message. It is called on the queue's thread, and may block.
    func add(bytes: Int, reportLost: @escaping @Sendable (Int) -> Void, _ write: @escaping @Sendable () -> Void) {
        let hasThread = state.withLock { state in
            if !state.hasThread { state.hasThread = start() }
            guard state.hasThread else { return false }
            guard state.bytes + bytes <= LogQueue.mostBytes || state.bytes == 0 else {
                state.lost += 1
                state.reportLost = reportLost
                return true
            }
            LogQueue.addLost(&state)
            state.messages.append(Message(bytes: bytes, write: write))
            state.bytes += bytes
            if !state.isWriting {
                state.isWriting = true
                work.signal()
            }
            return true
        }
        // Without a thread, a message that is late is better than none.
        if !hasThread { write() }
    }

    /// Adds a line for standard error, safe on a terminal.
    package func say(_ line: String) {
        let handler = StandardErrorLogHandler(logLevel: .info, descriptor: STDERR_FILENO, queue: self)
        handler.add(line: TerminalText.shown(line))
    }

    /// Waits for the messages that were added before, for half a second at most. A process calls it before it ends.
    package func finish() {
        let isIdle = state.withLock { state in
            state.isEnding = state.isWriting
            return !state.isWriting
        }
        if !isIdle { _ = isWritten.wait(timeout: .now() + .milliseconds(LogQueue.longestEnd)) }
    }

    private static func addLost(_ state: inout State) {
        guard state.lost > 0, let report = state.reportLost else { return }
        let count = state.lost
        state.messages.append(Message(bytes: 0) { report(count) })
        (state.lost, state.reportLost) = (0, nil)
    }

    private func start() -> Bool {
        let thread = try? Threads.start { [self] in
            // Signals are for the threads of the program.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            while true {
                work.wait()
                while let message = next() {
                    message.write()
                    state.withLock { $0.bytes -= message.bytes }
                }
            }
        }
        thread?.detach()
        return thread != nil
    }

    private func next() -> Message? {
        state.withLock { state in
            if state.messages.isEmpty { LogQueue.addLost(&state) }
            guard !state.messages.isEmpty else {
                state.isWriting = false
                if state.isEnding {
                    state.isEnding = false
                    isWritten.signal()
                }
                return nil
            }
            return state.messages.removeFirst()
        }
    }
}
