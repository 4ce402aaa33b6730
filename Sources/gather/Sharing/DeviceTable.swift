// Devices as they are shown.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

enum DeviceTable {
    /// The state of a device in one or a few words.
    static func state(_ device: SharingDevice) -> (text: String, color: Color?) {
        if device.isHere { return ("this device", .bold) }
        if device.asksToConnect { return ("asks to connect", .yellow) }
        if device.isPaused { return ("paused", .yellow) }
        return device.isConnected ? ("connected", .green) : ("away", nil)
    }

    /// Returns this device first, then those that are known, then those that ask to connect; each by name.
    static func sorted(_ devices: [SharingDevice]) -> [SharingDevice] {
        func rank(_ device: SharingDevice) -> Int { device.isHere ? 0 : device.asksToConnect ? 2 : 1 }
        return devices.sorted { (rank($0), $0.name, $0.identifier) < (rank($1), $1.name, $1.identifier) }
    }

    static func lines(_ devices: [SharingDevice], color: Bool, width: Int) -> [String] {
        var table = Table(
            header: [
                ("name", false), ("id", false), ("state", false), ("address", false), ("version", false),
                ("last seen", false),
            ])
        for device in sorted(devices) {
            let (state, color) = state(device)
            table.add([
                Table.Cell(DisplayText.escaped(device.name)), Table.Cell(DisplayText.escaped(device.shortIdentifier)),
                Table.Cell(state, color), Table.Cell(DisplayText.escaped(device.address ?? "")),
                Table.Cell(DisplayText.escaped(device.version ?? "")),
                Table.Cell(
                    device.isConnected || device.isHere ? "" : device.lastSeen.map { Readable.time($0) } ?? "", .dim),
            ])
        }
        return table.lines(color: color, width: width)
    }

    /// Returns a line for a pipe.
    static func plain(_ device: SharingDevice) -> String {
        let columns = [
            device.identifier, device.name, state(device).text, device.address ?? "", device.version ?? "",
            device.lastSeen?.rfc3339 ?? "",
        ]
        return columns.map { DisplayText.escaped($0) }.joined(separator: "\t")
    }

    static func object(_ device: SharingDevice) -> [UInt8] {
        var line = JSONLine()
        line.add("device", device.identifier)
        line.add("name", device.name)
        line.add("here", device.isHere)
        line.add("connected", device.isConnected)
        line.add("paused", device.isPaused)
        line.add("asks", device.asksToConnect)
        line.add("address", device.address)
        line.add("version", device.version)
        line.add("lastSeen", device.lastSeen?.rfc3339)
        if let rate = device.receivingRate { line.add("receiving", rate) }
        if let rate = device.sendingRate { line.add("sending", rate) }
        return line.bytes()
    }
}
