// The notifications of a service to its manager.
// SPDX-License-Identifier: Apache-2.0

/// One assignment of the protocol of `sd_notify(3)`.
package enum ServiceNotification: Hashable, Sendable {
    /// The service is ready, or a reload is over.
    case ready
    /// A reload begins. `monotonic` is its time in microseconds of `CLOCK_MONOTONIC`, by which the manager
    /// distinguishes reloads.
    case reloading(monotonic: UInt64)
    /// The service stops.
    case stopping
    /// A line for `systemctl status`.
    case status(String)
    /// The event loop runs.
    case watchdog
    /// A start, reload or stop takes longer. The manager waits for so many microseconds from now on.
    case extendTimeout(microseconds: UInt64)

    /// The assignment without a line end. A datagram has one assignment in each line, so control characters are removed
    /// from a status: a file name must not say `READY=1`.
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
