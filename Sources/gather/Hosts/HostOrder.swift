// The wait for machines that were named before others.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The wait for machines that were named before others, so that a late one does not delay the answers of these.
struct HostOrder {
    /// The time after the first answer during which answers wait for their order.
    static let patience = Duration.seconds(3)

    private var end: ContinuousClock.Instant?
    private var wasOver = false

    /// Returns whether answers are printed as they arrive from now on. The wait begins with the first answer.
    mutating func updateWait(hasAnswer: Bool) -> Bool {
        if hasAnswer, end == nil { end = .now + HostOrder.patience }
        if let end, ContinuousClock.now >= end { wasOver = true }
        return wasOver
    }

    /// The time that is left; nil before the first answer, and when the wait is over.
    var rest: Duration? { wasOver ? nil : end.map { max(.zero, $0 - .now) } }

    /// Wakes the thread that prints.
    final class Bell: Sendable {
        /// Two connected sockets; negative without them. Then the printing thread looks once in a while.
        private let reader: CInt
        private let writer: CInt
        private static let lookMilliseconds: CInt = 100

        init() {
            var ends: [CInt] = [-1, -1]
            let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            if socketpair(AF_UNIX, kind, 0, &ends) != 0 { ends = [-1, -1] }
            reader = ends[0]
            writer = ends[1]
        }

        deinit { for end in [reader, writer] where end >= 0 { close(end) } }

        func ring() {
            var byte: UInt8 = 0
            _ = write(writer, &byte, 1)
        }

        /// Returns after a ring, or after this time; nil waits for a ring.
        func wait(_ time: Duration?) {
            // Rounded up, since a wait of nothing would be repeated until the time is over.
            let milliseconds = time.map { CInt($0 / .milliseconds(1)) + 1 }
            var poll = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            let isBlind = reader < 0
            guard Glibc.poll(&poll, 1, isBlind ? Bell.lookMilliseconds : milliseconds ?? -1) > 0 else { return }
            var byte: UInt8 = 0
            _ = read(reader, &byte, 1)
        }
    }
}
