// The messages to the service manager.
// SPDX-License-Identifier: Apache-2.0

/// Receives the moments of the helper's life. gather-syncd passes them to systemd.
package protocol SyncObserver: Sendable {
    /// The helper listens.
    func ready()
    /// The helper stops.
    func stopping()
}

/// Ignores all.
package struct SilentSyncObserver: SyncObserver {
    package init() {}
    package func ready() {}
    package func stopping() {}
}
