// A thread that waits for a descriptor, for loops that cannot poll it themselves.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A thread that waits until a descriptor is readable, and reports that. It waits again when it is armed, so the reader is
/// woken once for each read. At idle it sleeps in poll(2).
package final class ReadinessThread: Sendable {
    private let descriptor: CInt
    private let events: CShort
    private let wake: @Sendable () -> Void
    /// Set by ``arm()`` and ``stop()``. The thread reads it while it is not armed.
    private let signal: Signal
    private let stopping = Atomic<Bool>(false)
    private let thread = Mutex<RunningThread?>(nil)

    /// Starts the thread, armed. The descriptor must stay open until ``stop()`` has returned. `events` are those of poll(2).
    package init(
        descriptor: CInt, events: CShort = CShort(POLLIN), wake: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.events = events
        self.wake = wake
        signal = try Signal()
        let handle = try Threads.start { self.run() }
        thread.withLock { $0 = handle }
    }

    /// Waits for the descriptor again. Call it after reading; from any thread.
    package func arm() { signal.set() }

    /// Ends the thread and waits for its end. It must not be called from the thread itself, so not from `wake`.
    package func stop() {
        stopping.store(true, ordering: .releasing)
        signal.set()
        let handle = thread.withLock { handle -> RunningThread? in
            defer { handle = nil }
            return handle
        }
        handle?.join()
    }

    private func run() {
        while !stopping.load(ordering: .acquiring) {
            guard let (ready, signalled) = try? Poll.untilReadable(descriptor, signal.number, events: events) else {
                return
            }
            if signalled { signal.clear() }
            guard ready, !stopping.load(ordering: .acquiring) else { continue }
            wake()
            // While it is not armed, only the signal counts.
            guard (try? Poll.untilReadable(signal.number, signal.number)) != nil else { return }
            signal.clear()
        }
    }
}
