// A thread that waits for a descriptor, for loops that cannot poll it themselves.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A thread that does nothing but wait until a descriptor is readable and say so; it then waits to be armed again, so
/// the reader is woken once for each time that it is ready to read. At idle it sleeps in poll(2).
package final class ReadinessThread: Sendable {
    private let descriptor: CInt
    private let events: CShort
    private let wake: @Sendable () -> Void
    /// Set by ``arm()`` and ``stop()``, and seen by the thread only while it is not armed, or to stop.
    private let signal: Signal
    private let stopping = Atomic<Bool>(false)
    private let thread = Mutex<pthread_t?>(nil)

    /// Starts the thread, armed. The descriptor must stay open until ``stop()`` has returned. `events` is what to wait
    /// for in the words of poll(2).
    package init(
        descriptor: CInt, events: CShort = CShort(POLLIN), wake: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.events = events
        self.wake = wake
        signal = try Signal()
        var handle = pthread_t()
        let box = Unmanaged.passRetained(self)
        let result = pthread_create(
            &handle, nil,
            { context in
                if let context { Unmanaged<ReadinessThread>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            box.release()
            throw SystemError(code: result)
        }
        thread.withLock { $0 = handle }
    }

    /// Waits for the descriptor again. Call it after reading; from any thread.
    package func arm() { signal.set() }

    /// Ends the thread and waits for its end. Not from the thread itself, that is, not from `wake`.
    package func stop() {
        stopping.store(true, ordering: .releasing)
        signal.set()
        let handle = thread.withLock { handle -> pthread_t? in
            defer { handle = nil }
            return handle
        }
        if let handle { pthread_join(handle, nil) }
    }

    private func run() {
        while !stopping.load(ordering: .acquiring) {
            guard let (ready, signalled) = try? Poll.untilReadable(descriptor, signal.number, events: events) else {
                return
            }
            if signalled { signal.clear() }
            guard ready, !stopping.load(ordering: .acquiring) else { continue }
            wake()
            // Not armed: only the signal counts until the reader has read.
            guard (try? Poll.untilReadable(signal.number, signal.number)) != nil else { return }
            signal.clear()
        }
    }
}
