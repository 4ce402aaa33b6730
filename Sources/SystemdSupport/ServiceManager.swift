// Notifications to the service manager: readiness, status and the watchdog.
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// The service manager that started this process, if any. Without one, each call does nothing.
///
/// Calls may be made on any thread. Each reads the environment (`NOTIFY_SOCKET`, `WATCHDOG_USEC`), which must not
/// change meanwhile.
package enum ServiceManager {
    /// Sends notifications in one datagram, in order.
    ///
    /// - Returns: False without a service manager (`NOTIFY_SOCKET` is not set).
    @discardableResult
    package static func notify(_ notifications: ServiceNotification...) throws(SystemdError) -> Bool {
        let state = notifications.map(\.assignment).joined(separator: "\n")
        let result = sd_notify(0, state)
        if result < 0 { throw .call("sd_notify", errno: -result) }
        return result > 0
    }

    /// Announces a reload. `.ready` announces its end.
    @discardableResult
    package static func notifyReloading() throws(SystemdError) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return try notify(.reloading(monotonic: UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000))
    }

    /// Whether the manager may store descriptors (`FileDescriptorStoreMax=`). Since systemd 254, it tells if it does
    /// not. `GATHERD_KEEP=no` in the environment prevents it, too.
    package static var keepsDescriptors: Bool {
        func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        return value("NOTIFY_SOCKET") != nil && value("FDSTORE") != "0" && value("GATHERD_KEEP") != "no"
    }

    /// Stores a descriptor with the service manager under a name, for the next process of the service. The manager gets
    /// a duplicate and does not monitor it (`FDPOLL=0`), since these descriptors never hang up.
    package static func keep(_ descriptor: CInt, name: String) throws(SystemdError) {
        let result = sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0", [descriptor], 1)
        if result < 0 { throw .call("sd_pid_notify_with_fds", errno: -result) }
    }

    /// Removes stored descriptors by name.
    package static func letGo(name: String) throws(SystemdError) {
        let result = sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)")
        if result < 0 { throw .call("sd_notify", errno: -result) }
    }

    /// Returns the interval in which the manager expects `.watchdog`; nil if it does not. Send it twice as often, from
    /// the loop that does the work, since a timer thread would hide a loop that hangs.
    package static func watchdogInterval() throws(SystemdError) -> Duration? {
        var microseconds: UInt64 = 0
        let result = sd_watchdog_enabled(0, &microseconds)
        if result < 0 { throw SystemdError(reading: ["WATCHDOG_PID", "WATCHDOG_USEC"], errno: -result) }
        return result == 0 ? nil : .microseconds(Int64(clamping: microseconds))
    }
}
