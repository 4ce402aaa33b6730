// What a service tells its manager, and the text of it on the notification socket.
// SPDX-License-Identifier: Apache-2.0

/// One assignment of the protocol of `sd_notify(3)`.
package enum ServiceNotification: Hashable, Sendable {
    /// The service is up, or a reload is over.
    case ready
    /// A reload begins; `monotonic` is the time of that in microseconds of `CLOCK_MONOTONIC`, by which the manager
    /// tells this reload from an older one.
    case reloading(monotonic: UInt64)
    /// The service is ending.
    case stopping
    /// One line for people, as `systemctl status` shows it.
    case status(String)
    /// The loop that does the work is alive.
    case watchdog
    /// Start, reload or stop takes longer: the manager waits for so many microseconds from now on.
    case extendTimeout(microseconds: UInt64)

    /// The assignment, without a line end. Several go into one datagram, one a line, so a status loses its control
    /// characters: a file name in it must not be able to say `READY=1`.
    package var assignment: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let monotonic): "RELOADING=1\nMONOTONIC_USEC=\(monotonic)"
        case .stopping: "STOPPING=1"
        case .status(let text): "STATUS=\(ServiceNotification.singleLine(text))"
        case .watchdog: "WATCHDOG=1"
        case .extendTimeout(let microseconds): "EXTEND_TIMEOUT_USEC=\(microseconds)"
        }
    }

    private static func singleLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}
