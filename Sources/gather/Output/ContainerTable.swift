// Containers as they are shown.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

enum ContainerTable {
    static func lines(_ containers: [ContainerStatus], color: Bool) -> [String] {
        var table = Table()
        for container in containers {
            var row: [Table.Cell] = [
                .init(container.identifier.rawValue, .bold),
                .init(container.state.rawValue, Self.color(of: container.state)),
                .init(Readable.count(container.items, "item", "items"), alignsRight: true),
                .init(DisplayText.escaped(container.path)),
            ]
            if let remarks = remarks(container) { row.append(.init(remarks, .dim)) }
            table.add(row)
        }
        return table.lines(color: color)
    }

    static func sentence(_ container: ContainerStatus) -> String {
        let items = Readable.count(container.items, "item", "items")
        let size = "\(items) in \(Readable.count(container.directories, "directory", "directories"))"
        let remarks = remarks(container).map { " (\($0))" } ?? ""
        return "\(container.identifier): \(container.state.rawValue), \(size)\(remarks)"
    }

    private static func remarks(_ container: ContainerStatus) -> String? {
        var remarks: [String] = []
        if let reason = container.reason, !reason.isEmpty { remarks.append(reason) }
        if container.sync != nil { remarks.append("shared") }
        if container.polled > 0 {
            remarks.append("\(Readable.count(container.polled, "directory", "directories")) polled")
        }
        if container.unreadable > 0 { remarks.append("\(Readable.count(container.unreadable)) unreadable") }
        if !container.filledAttributes.isEmpty {
            remarks.append("extended attributes \(Readable.size(Int64(container.filledBytes)))")
        }
        return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
    }

    private static func color(of state: ContainerStatus.State) -> Color {
        switch state {
        case .live: .green
        case .unavailable: .red
        default: .yellow
        }
    }

    static func object(_ container: ContainerStatus) -> [UInt8] {
        var line = JSONLine()
        line.add("identifier", container.identifier.rawValue)
        line.add("path", container.path)
        line.add("state", container.state.rawValue)
        line.add("reason", container.reason)
        line.add("origin", container.origin)
        line.add("items", container.items)
        line.add("directories", container.directories)
        line.add("watches", container.watches)
        line.add("polled", container.polled)
        line.add("unreadable", container.unreadable)
        line.add("unreadablePaths", container.unreadablePaths)
        line.add("packages", container.packages)
        line.add("ignore", container.ignore)
        line.add("clock", container.clock.rawValue)
        line.add("filled", container.filledAttributes)
        line.add("filledBytes", container.filledBytes)
        line.add("sync", container.sync)
        return line.bytes()
    }
}
