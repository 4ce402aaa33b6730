// The state of sharing as a person reads it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// The state of sharing as lines for a terminal, a pipe or a program.
struct SyncStatusText {
    /// The width of the first column of the upper part.
    private static let labelWidth = 13
    /// The characters of a bar.
    private static let barWidth = 10

    let status: SharingStatus
    let containers: [ContainerSync]
    /// The options of the daemon, for suggested commands.
    let words: String

    // MARK: A terminal

    func lines(color: Bool, width: Int, isUnicode: Bool) -> [String] {
        var lines = upperPart(color: color).map { DisplayWidth.cut($0, to: width) }
        let table = table(isUnicode: isUnicode).lines(color: color, width: width)
        if !table.isEmpty { lines += [""] + table }
        for container in containers {
            for error in container.errors {
                lines.append(
                    Color.red.paint("\(container.identifier): \(DisplayText.escaped(error))", if: color))
            }
        }
        let next = next
        if !next.isEmpty { lines.append("") }
        return lines + next.map { "next: \($0)" }
    }

    private func upperPart(color: Bool) -> [String] {
        func line(_ label: String, _ text: String) -> String {
            label + String(repeating: " ", count: Self.labelWidth - label.count) + text
        }
        guard status.isRunning else {
            return [
                line("syncthing", Color.red.paint("does not answer", if: color)),
                line("reason", DisplayText.escaped(status.reason ?? "unknown")),
            ]
        }
        var lines = [line("syncthing", DisplayText.escaped(status.version ?? ""))]
        if let here = status.thisDevice {
            lines.append(line("this device", "\(here.displayName)  \(here.shortIdentifier)"))
        }
        let others = DeviceTable.sorted(status.devices).filter { !$0.isHere }
        let connected = others.filter { $0.isConnected && !$0.asksToConnect }
        if !connected.isEmpty {
            lines.append(line("connected", connected.map(\.displayName).joined(separator: ", ")))
        }
        let away = others.filter { !$0.isConnected && !$0.asksToConnect }
        if !away.isEmpty {
            let names = away.map { device in
                let since = device.lastSeen.map { ", last seen \(Readable.time($0))" } ?? ""
                return device.displayName
                    + (device.isPaused ? " (paused)" : since.isEmpty ? "" : " (\(since.dropFirst(2)))")
            }
            lines.append(line("away", names.joined(separator: ", ")))
        }
        let asking = others.filter(\.asksToConnect)
        if !asking.isEmpty {
            lines.append(
                line("asks", asking.map { "\($0.displayName)  \($0.shortIdentifier)" }.joined(separator: ", ")))
        }
        if let rate { lines.append(line("rate", rate)) }
        return lines
    }

    /// The rates of all devices; nil if nothing is transferred.
    private var rate: String? {
        let devices = status.devices.filter { $0.isConnected && !$0.isHere }
        let receiving = Amount.sum(devices.compactMap(\.receivingRate))
        let sending = Amount.sum(devices.compactMap(\.sendingRate))
        guard receiving > 0 || sending > 0 else { return nil }
        return "\(Readable.size(Int64(receiving)))/s in, \(Readable.size(Int64(sending)))/s out"
    }

    private func table(isUnicode: Bool) -> Table {
        var table = Table(
            header: [("container", false), ("state", false), ("missing here", false), ("missing there", false)])
        for container in containers {
            let bar = container.share.map { " " + SyncStatusText.bar($0, isUnicode: isUnicode) } ?? ""
            let there = container.devices.filter { $0.items > 0 }
                .map { "\(status.name(of: $0.device)) \(SyncStatusText.amount($0.items, $0.bytes))" }
            table.add([
                Table.Cell(DisplayText.escaped(container.identifier.rawValue), .bold),
                Table.Cell(container.state.rawValue + bar, container.state.color),
                Table.Cell(
                    container.missingItems > 0
                        ? SyncStatusText.amount(container.missingItems, container.missingBytes) : ""),
                Table.Cell(there.joined(separator: "; ")),
            ])
        }
        return table
    }

    private static func amount(_ items: Int, _ bytes: Int) -> String {
        "\(Readable.count(items, "item", "items")), \(Readable.size(Int64(bytes)))"
    }

    /// Returns `██████░░░░  63 %`.
    static func bar(_ share: Double, isUnicode: Bool) -> String {
        // Only a whole transfer is shown as one.
        let share = share.isFinite ? min(max(0, share), 1) : 0
        let done = Int(share * Double(barWidth))
        let percent = Int(share * 100)
        let steps =
            String(repeating: isUnicode ? "█" : "#", count: done)
            + String(repeating: isUnicode ? "░" : "-", count: barWidth - done)
        return "\(steps) \(DisplayWidth.fitted("\(percent)", to: 3, alignsRight: true)) %"
    }

    // MARK: A pipe

    /// Returns a line for a pipe: identifier, state, the items and bytes that are missing here and there, the devices, and errors.
    func plain(_ container: ContainerSync) -> String {
        let items = Amount.sum(container.devices.map(\.items))
        let bytes = Amount.sum(container.devices.map(\.bytes))
        return [
            DisplayText.escaped(container.identifier.rawValue), container.state.rawValue, "\(container.missingItems)",
            "\(container.missingBytes)", "\(items)", "\(bytes)",
            container.devices.map { "\(status.name(of: $0.device))=\($0.isConnected ? "connected" : "away")" }
                .joined(separator: ","),
            container.errors.map { DisplayText.escaped($0) }.joined(separator: "; "),
        ].joined(separator: "\t")
    }

    // MARK: A program

    var object: [UInt8] {
        var line = JSONLine()
        line.add("running", status.isRunning)
        line.add("reason", status.reason)
        line.add("version", status.version)
        line.add("thisDevice", status.thisDevice?.identifier)
        line.add("devices", DeviceTable.sorted(status.devices).map(DeviceTable.object))
        line.add("containers", containers.map { $0.object(status) })
        line.add(
            "offers",
            status.offers.map { offer in
                var line = JSONLine()
                line.add("device", offer.device)
                line.add("container", offer.container.rawValue)
                line.add("folder", offer.folder)
                return line.bytes()
            })
        line.add("corrections", status.corrections)
        line.add("next", next)
        return line.bytes()
    }

    // MARK: Advice

    /// Advice with commands.
    var next: [String] {
        guard status.isRunning else { return ["the reason, and what mends it: gather doctor\(words)"] }
        var next: [String] = []
        for device in status.devices where device.asksToConnect {
            next.append("\(device.displayName) asks to connect; to let it: gather join\(words) \(device.identifier)")
        }
        var offered: Set<String> = []
        for offer in status.offers where offered.insert(offer.device + offer.container.rawValue).inserted {
            let device = status.devices.first { $0.identifier == offer.device }?.argument ?? offer.device
            next.append(
                "\(status.name(of: offer.device)) offers '\(DisplayText.escaped(offer.container.rawValue))'; to get it: "
                    + "gather join\(words) \(device) \(ShellText.quoted(offer.container.rawValue))")
        }
        for container in containers {
            let name = ShellText.quoted(container.identifier.rawValue)
            switch container.state {
            case .alone:
                next.append(
                    "\(container.identifier) is shared with no device; to add one: gather share\(words) \(name) "
                        + "--with DEVICE")
            case .noFolder:
                next.append(
                    "Syncthing has no folder for \(container.identifier); to make it: gather share\(words) \(name)")
            default: break
            }
        }
        if containers.contains(where: { $0.state == .error }) {
            next.append("a folder stands still; what mends it: gather doctor\(words)")
        }
        if containers.isEmpty { next.append("nothing is shared; to share a container: gather share\(words) NAME") }
        return next
    }
}
