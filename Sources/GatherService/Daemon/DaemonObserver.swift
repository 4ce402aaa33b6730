// The notifications for the service manager: the daemon sends them here, the program passes them on.
// SPDX-License-Identifier: Apache-2.0

/// Receives the notifications. All calls come on the event loop.
package protocol DaemonObserver: Sendable {
    /// The interval of ``alive()``; nil without a watchdog.
    var heartbeat: Duration? { get }
    /// The socket is open.
    func ready(status: String)
    /// A line for `systemctl status`.
    func status(_ text: String)
    /// A reload begins; ``ready(status:)`` says that it is over.
    func reloading()
    /// The daemon stops.
    func stopping()
    /// The event loop runs.
    func alive()
    /// Whether descriptors can be stored for the next process.
    var keepsDescriptors: Bool { get }
    /// Stores descriptors with the service manager for the next process. The daemon keeps its own.
    func keep(_ descriptors: [StoredDescriptor])
    /// Removes stored descriptors by name.
    func letGo(_ names: [String])
}

extension DaemonObserver {
    package var keepsDescriptors: Bool { false }
    package func keep(_ descriptors: [StoredDescriptor]) {}
    package func letGo(_ names: [String]) {}
}

/// Ignores all notifications.
package struct SilentObserver: DaemonObserver {
    package init() {}
    package var heartbeat: Duration? { nil }
    package func ready(status: String) {}
    package func status(_ text: String) {}
    package func reloading() {}
    package func stopping() {}
    package func alive() {}
}
