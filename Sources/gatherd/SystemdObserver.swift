// Passes notifications of the daemon to systemd.
// SPDX-License-Identifier: Apache-2.0

import GatherService
import SystemdSupport

/// Notifies the service manager. A message that cannot be delivered is dropped, since the manager is gone.
struct SystemdObserver: DaemonObserver {
    let heartbeat: Duration?

    init() throws { heartbeat = try ServiceManager.watchdogInterval() }

    func ready(status: String) { _ = try? ServiceManager.notify(.ready, .status(status)) }
    func status(_ text: String) { _ = try? ServiceManager.notify(.status(text)) }
    func reloading() { _ = try? ServiceManager.notifyReloading() }
    func stopping() { _ = try? ServiceManager.notify(.stopping) }
    func alive() { _ = try? ServiceManager.notify(.watchdog) }

    var keepsDescriptors: Bool { ServiceManager.keepsDescriptors }
    func keep(_ descriptors: [StoredDescriptor]) {
        for descriptor in descriptors { try? ServiceManager.keep(descriptor.number, name: descriptor.name) }
    }
    func letGo(_ names: [String]) { for name in names { try? ServiceManager.letGo(name: name) } }
}
