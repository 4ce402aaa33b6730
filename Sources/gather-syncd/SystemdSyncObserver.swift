// Passes the moments of the helper's life to systemd.
// SPDX-License-Identifier: Apache-2.0

import SyncService
import SystemdSupport

/// Notifies the service manager. A message that cannot be delivered is dropped, since the manager is gone.
struct SystemdSyncObserver: SyncObserver {
    func ready() { _ = try? ServiceManager.notify(.ready) }
    func stopping() { _ = try? ServiceManager.notify(.stopping) }
}
