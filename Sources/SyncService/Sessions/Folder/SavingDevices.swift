// The devices that saved the files of a folder.
// SPDX-License-Identifier: Apache-2.0

/// Knows which device changed an item last, as far as Syncthing told it. If there are too many items, all are
/// forgotten.
struct SavingDevices {
    private var devices: [String: String] = [:]

    /// The items whose device is known.
    var parts: Set<String> { Set(devices.keys) }

    /// Returns the short identifier of the device that changed an item last.
    func device(of part: String) -> String? { devices[part] }

    /// Notes that a device changed an item.
    mutating func note(_ device: String, of part: String) {
        if devices.count >= SyncLimits.savers { devices.removeAll() }
        devices[part] = device
    }
}
