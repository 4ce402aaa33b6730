// News for the thread of the screen, from any other.
// SPDX-License-Identifier: Apache-2.0

internal import CNcurses
internal import Synchronization

/// Events in the order of their arrival. Posting one wakes the loop.
final class Mailbox: Sendable {
    private let events = Mutex<[ScreenEvent]>([])

    func post(_ event: ScreenEvent) {
        let isFirst = events.withLock { events in
            events.append(event)
            return events.count == 1
        }
        // One byte for any number of events: the pipe has room for signals.
        if isFirst { cncurses_wake() }
    }

    func take() -> [ScreenEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
