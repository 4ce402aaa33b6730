// The line to the service manager: readiness, status and the watchdog. Without a manager everything here does nothing.
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// The service manager that started this process, if one did.
///
/// Every call may be made on any thread; each reads the environment (`NOTIFY_SOCKET`, `WATCHDOG_USEC`), so nothing may
/// change that at the same time.
package enum ServiceManager {
    /// Sends notifications in one datagram, in their order.
    ///
    /// - Returns: False where no manager listens (`NOTIFY_SOCKET` is not set), which is no error.
    @discardableResult
    package static func notify(_ notifications: ServiceNotification...) throws(SystemdError) -> Bool {
        let state = notifications.map(\.assignment).joined(separator: "\n")
        let result = sd_notify(0, state)
        if result < 0 { throw .call("sd_notify", errno: -result) }
        return result > 0
    }

    /// Says that a reload begins; `.ready` says that it is over.
    @discardableResult
    package static func notifyReloading() throws(SystemdError) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return try notify(.reloading(monotonic: UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000))
    }

    /// Whether a manager listens that may keep descriptors (`FileDescriptorStoreMax=`): from systemd 254 on it says when it does
    /// not. `GATHERD_KEEP=no` in the environment switches it off.
    package static var keepsDescriptors: Bool {
        func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        return value("NOTIFY_SOCKET") != nil && value("FDSTORE") != "0" && value("GATHERD_KEEP") != "no"
    }

    /// Has the manager keep a descriptor under a name, and pass it to the next process of the service beside its sockets. The
    /// manager gets one of its own; it does not watch it for its end, which these have none of.
    package static func keep(_ descriptor: CInt, name: String) throws(SystemdError) {
        let result = sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0", [descriptor], 1)
        if result < 0 { throw .call("sd_pid_notify_with_fds", errno: -result) }
    }

    /// Has the manager keep descriptors of this name no longer.
    package static func letGo(name: String) throws(SystemdError) {
        let result = sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)")
        if result < 0 { throw .call("sd_notify", errno: -result) }
    }

    /// How often the manager wants to hear `.watchdog`; nil where it does not. Ping twice as often, from the loop that
    /// does the work: a timer thread would go on pinging for a loop that hangs.
    package static func watchdogInterval() throws(SystemdError) -> Duration? {
        var microseconds: UInt64 = 0
        let result = sd_watchdog_enabled(0, &microseconds)
        if result < 0 { throw .call("sd_watchdog_enabled", errno: -result) }
        return result == 0 ? nil : .microseconds(Int64(clamping: microseconds))
    }
}
