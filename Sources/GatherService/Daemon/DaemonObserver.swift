// What the service manager is told: the daemon says it here, the program passes it on.
// SPDX-License-Identifier: Apache-2.0

/// Hears of the daemon's life. All calls come on the event loop.
package protocol DaemonObserver: Sendable {
    /// How often ``alive()`` is wanted; nil where nobody watches.
    var heartbeat: Duration? { get }
    /// The socket is served.
    func ready(status: String)
    /// A line for `systemctl status`.
    func status(_ text: String)
    /// A reload begins; ``ready(status:)`` says that it is over.
    func reloading()
    /// The daemon is ending.
    func stopping()
    /// The event loop works.
    func alive()
    /// Whether descriptors can be kept for the next process.
    var keepsDescriptors: Bool { get }
    /// Descriptors that are to be kept for the next process, whatever becomes of this one; they stay the daemon's.
    func keep(_ descriptors: [KeptDescriptor])
    /// Descriptors of these names are kept no longer.
    func letGo(_ names: [String])
}

extension DaemonObserver {
    package var keepsDescriptors: Bool { false }
    package func keep(_ descriptors: [KeptDescriptor]) {}
    package func letGo(_ names: [String]) {}
}

/// Tells nobody.
package struct SilentObserver: DaemonObserver {
    package init() {}
    package var heartbeat: Duration? { nil }
    package func ready(status: String) {}
    package func status(_ text: String) {}
    package func reloading() {}
    package func stopping() {}
    package func alive() {}
}
