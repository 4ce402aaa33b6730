// The live view as lines of text for a screen of any size.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// The screen as lines, made from the model alone.
struct TopScreen {
    enum Order: String, CaseIterable {
        case activity
        case size
        case latency
        case name
    }

    /// The table that the arrow keys scroll.
    enum Table {
        case containers
        case queries
    }

    struct Cell {
        var text: String
        var color: Color?
    }

    typealias Line = [Cell]

    var width = 80
    var height = 24
    var order = Order.activity
    var isReversed = false
    var table = Table.queries
    /// The number of rows of each table above the visible part.
    var containerOffset = 0
    var queryOffset = 0
    var showsHelp = false
    var isPaused = false
    /// An error, shown in place of the last line.
    var message: String?
    var interval = 1.0
    /// Whether the terminal shows more than ASCII.
    var isUnicode = true
    /// Names of users.
    var userName: (String) -> String = { $0 }

    /// The lines, none wider than the screen and no more than it has.
    func lines(_ model: TopModel, socket: String) -> [Line] {
        if showsHelp { return fill(help.map { [Cell(text: $0)] }) }
        guard let latest = model.latest else {
            return fill([[Cell(text: "gather top", color: .bold)], [], [Cell(text: "asking gatherd at \(socket)")]])
        }
        var lines: [Line] = [title(model, latest)]
        if height >= 8 { lines.append(second(model, latest)) }
        lines += curves(model)
        let footer = height >= 6 ? 1 : 0
        var room = height - lines.count - footer
        let isRoomy = room >= 8
        let containers = ordered(model.containers)
        let queries = ordered(model.queries)
        // The containers get the lines that the queries leave, and at least a third.
        let containerRows = min(containers.count, max(room / 3, room - queries.count - 4, 1))
        if room > 1, !containers.isEmpty {
            if isRoomy {
                lines.append([])
                room -= 1
            }
            let rows = min(containerRows, room - 1)
            lines += containerTable(containers, rows: rows)
            room -= rows + 1
        }
        if room > 1, !queries.isEmpty {
            if isRoomy, room > 2 {
                lines.append([])
                room -= 1
            }
            lines += queryTable(queries, rows: min(queries.count, room - 1))
        }
        return fill(lines)
    }

    /// All rows, for a file.
    func plainLines(_ model: TopModel) -> [String] {
        guard let latest = model.latest else { return [] }
        var screen = self
        screen.width = .max / 4
        var lines: [Line] = [title(model, latest), second(model, latest)]
        for series in TopModel.Series.allCases {
            if let text = screen.label(series, model) { lines.append([Cell(text: text.name + "  " + text.value)]) }
        }
        let containers = ordered(model.containers)
        let queries = ordered(model.queries)
        if !containers.isEmpty { lines += [[]] + screen.containerTable(containers, rows: containers.count) }
        if !queries.isEmpty { lines += [[]] + screen.queryTable(queries, rows: queries.count) }
        return lines.map { line in
            var text = line.map(\.text).joined()
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    /// Cuts lines and rows that do not fit, and puts the last line at the bottom.
    private func fill(_ lines: [Line]) -> [Line] {
        let footer: Line? =
            message.map { [Cell(text: $0, color: .red)] }
            ?? (height >= 6 ? [Cell(text: keys, color: .dim)] : nil)
        var lines = lines
        if let footer {
            lines = Array(lines.prefix(max(0, height - 1)))
            while lines.count < height - 1 { lines.append([]) }
            lines.append(footer)
        }
        return lines.prefix(height).map { line in
            var room = width
            return line.compactMap { cell in
                guard room > 0 else { return nil }
                let text = DisplayWidth.cut(cell.text, to: room)
                room -= DisplayWidth.of(text)
                return Cell(text: text, color: cell.color)
            }
        }
    }

    // MARK: The head

    private func title(_ model: TopModel, _ latest: TopSample) -> Line {
        var line: Line = [Cell(text: "gatherd \(latest.version)", color: .bold)]
        if isPaused { line.append(Cell(text: "  paused", color: .yellow)) }
        let items = latest.values["items"].map { Readable.count(Int($0), "item", "items") } ?? ""
        let containers = Readable.count(latest.containers.count, "container", "containers")
        let queries = latest.values["live_queries"].map { Readable.count(Int($0), "live query", "live queries") } ?? ""
        line.append(Cell(text: "  \(items) in \(containers), \(queries)"))
        return line
    }

    private func second(_ model: TopModel, _ latest: TopSample) -> Line {
        var parts: [String] = []
        if let bytes = latest.values["resident_memory_bytes"] { parts.append("memory \(Readable.size(Int64(bytes)))") }
        if let share = model.rate("cpu_seconds_total") { parts.append("cpu \(Self.number(share * 100)) %") }
        if let watches = latest.values["watches"] {
            let limit = latest.values["watch_limit"].map { " of \(Readable.count(Int($0)))" } ?? ""
            parts.append("watches \(Readable.count(Int(watches)))\(limit)")
        }
        if let count = latest.values["connections"] { parts.append("connections \(Readable.count(Int(count)))") }
        if let pending = latest.values["pending_changes"], pending > 0 {
            parts.append("pending \(Readable.count(Int(pending)))")
        }
        var line: Line = [Cell(text: parts.joined(separator: "  "))]
        if let overflows = latest.values["queue_overflows_total"], overflows > 0 {
            line.append(Cell(text: "  overflows \(Readable.count(Int(overflows)))", color: .red))
        }
        return line
    }

    // MARK: Curves

    private func curves(_ model: TopModel) -> [Line] {
        let most = height >= 20 ? 5 : height >= 12 ? 4 : 3
        // If there is little room, the first curves are shown.
        let series: [TopModel.Series] =
            most >= 5
            ? [.events, .lookUps, .items, .queue, .latency]
            : most == 4 ? [.events, .lookUps, .queue, .latency] : [.events, .items, .latency]
        return series.compactMap { series in
            guard let label = label(series, model) else { return nil }
            let text = DisplayWidth.fitted(label.name, to: 11) + DisplayWidth.fitted(label.value, to: 18) + " "
            let curve = spark(model.history[series] ?? [], width: max(0, width - DisplayWidth.of(text)))
            return [Cell(text: text), Cell(text: curve, color: series == .latency ? .yellow : .cyan)]
        }
    }

    private func label(_ series: TopModel.Series, _ model: TopModel) -> (name: String, value: String)? {
        let known = model.latest?.values ?? [:]
        func rate(_ key: String) -> String? {
            known[key] == nil ? nil : model.rate(key).map { Self.number($0) } ?? "-"
        }
        switch series {
        case .events: return rate("events_read_total").map { ("events/s", $0) }
        case .lookUps: return rate("look_ups_total").map { ("look-ups/s", $0) }
        case .items: return rate("delta_items_total").map { ("told/s", $0) }
        case .queue: return known["queue_bytes"].map { ("queue", "\(Readable.size(Int64($0))) bytes") }
        case .latency:
            guard model.latest?.latencies.isEmpty == false else { return nil }
            let (half, most) = (model.latency(0.5).map(Self.time) ?? "-", model.latency(0.99).map(Self.time) ?? "-")
            return ("p50 / p99", "\(half) / \(most)")
        }
    }

    private func spark(_ values: [Double], width: Int) -> String {
        let shown = values.suffix(width)
        let steps = Array(isUnicode ? "▁▂▃▄▅▆▇█" : "_.:-=+*#")
        let top = shown.max() ?? 0
        guard top > 0 else { return String(repeating: steps[0], count: shown.count) }
        return String(
            shown.map { value in
                // A small value is told from zero.
                value <= 0
                    ? steps[0] : steps[min(steps.count - 1, 1 + Int(value / top * Double(steps.count - 2) + 0.5))]
            })
    }

    // MARK: Tables

    private func containerTable(_ rows: [TopModel.ContainerRow], rows count: Int) -> [Line] {
        let isNarrow = width < 60
        let numbers = isNarrow ? [10, 9] : [14, 11, 11, 8]
        let name = max(
            8, min(width - 12 - numbers.reduce(0, +), rows.map { DisplayWidth.of($0.identifier) }.max() ?? 0, 40))
        let header =
            DisplayWidth.fitted("CONTAINER", to: max(name, 9)) + " " + DisplayWidth.fitted("STATE", to: 11)
            + zip(isNarrow ? ["ITEMS", "CHG/S"] : ["ITEMS", "CHANGES/S", "LOOK-UPS/S", "QUERIES"], numbers)
            .map { DisplayWidth.fitted($0, to: $1, alignsRight: true) }.joined()
        let offset = max(0, min(containerOffset, rows.count - count))
        return [[Cell(text: header, color: table == .containers ? .bold : .dim)]]
            + rows[offset..<min(rows.count, offset + max(0, count))].map { row in
                let values: [String] = [
                    Readable.count(Int(row.items)), row.changes.map(Self.number) ?? "-",
                    row.lookUps.map(Self.number) ?? "-",
                    row.liveQueries.map { Readable.count(Int($0)) } ?? "-",
                ]
                let color: Color = row.state == "live" ? .green : row.state == "unavailable" ? .red : .yellow
                return [
                    Cell(text: DisplayWidth.fitted(DisplayText.escaped(row.identifier), to: max(name, 9)) + " "),
                    Cell(text: DisplayWidth.fitted(row.state, to: 11), color: color),
                    Cell(
                        text: zip(values, numbers).map { DisplayWidth.fitted($0, to: $1, alignsRight: true) }.joined()),
                ]
            }
    }

    private func queryTable(_ rows: [TopModel.QueryRow], rows count: Int) -> [Line] {
        let isNarrow = width < 60
        let numbers = isNarrow ? [8] : [10, 9, 9, 10]
        let titles = isNarrow ? ["TOLD/S"] : ["MATCHES", "DELTAS/S", "TOLD/S", "LATENCY"]
        let place = isNarrow ? "QUERY  " : "QUERY  USER       PID    "
        let header =
            place + zip(titles, numbers).map { DisplayWidth.fitted($0, to: $1, alignsRight: true) }.joined()
            + "  PREDICATE"
        let offset = max(0, min(queryOffset, rows.count - count))
        return [[Cell(text: header, color: table == .queries ? .bold : .dim)]]
            + rows[offset..<min(rows.count, offset + max(0, count))].map { row in
                let values =
                    isNarrow
                    ? [Self.number(row.items)]
                    : [
                        Readable.count(Int(row.matches)), Self.number(row.deltas), Self.number(row.items),
                        row.latency.map(Self.time) ?? "-",
                    ]
                let who =
                    isNarrow
                    ? ""
                    : DisplayWidth.fitted(userName(row.user), to: 10) + " " + DisplayWidth.fitted(row.process, to: 7)
                let predicate = row.predicate.isEmpty ? "(everything)" : DisplayText.escaped(row.predicate)
                let left =
                    DisplayWidth.fitted("\(row.number)", to: 6) + " " + who
                    + zip(values, numbers).map { DisplayWidth.fitted($0, to: $1, alignsRight: true) }.joined()
                let pending = row.pending > 0 ? " \(Readable.count(Int(row.pending))) pending" : ""
                return [Cell(text: left), Cell(text: pending, color: .yellow), Cell(text: "  " + predicate)]
            }
    }

    private func ordered(_ rows: [TopModel.ContainerRow]) -> [TopModel.ContainerRow] {
        turned(
            rows.sorted { one, other in
                func key(_ row: TopModel.ContainerRow) -> Double {
                    switch order {
                    case .activity, .latency: (row.changes ?? 0) + (row.lookUps ?? 0)
                    case .size: row.items
                    case .name: 0
                    }
                }
                return key(one) != key(other) ? key(one) > key(other) : one.identifier < other.identifier
            })
    }

    private func ordered(_ rows: [TopModel.QueryRow]) -> [TopModel.QueryRow] {
        turned(
            rows.sorted { one, other in
                func key(_ row: TopModel.QueryRow) -> Double {
                    switch order {
                    case .activity: row.items
                    case .size: row.matches
                    case .latency: row.latency ?? -1
                    case .name: 0
                    }
                }
                return key(one) != key(other) ? key(one) > key(other) : one.number < other.number
            })
    }

    private func turned<Row>(_ rows: [Row]) -> [Row] { isReversed ? rows.reversed() : rows }

    // MARK: Words

    private var keys: String {
        width >= 60
            ? "q quit  h help  order: a activity, m size, l latency, n name (\(order.rawValue)\(isReversed ? ", reversed" : ""))"
            : "q quit  h help  order: \(order.rawValue)"
    }

    private var help: [String] {
        [
            "gather top: what gatherd does now",
            "",
            "q         quit",
            "h ?       this help",
            "a m l n   order by activity, size, latency, name",
            "r         turn the order round",
            "tab       the arrows move the other table",
            "up down   one row; page up, page down ten",
            "+ -       more, less often (now \(Self.number(interval)) s)",
            "space p   pause",
            "",
            "told/s    items in changes told to live queries",
            "p50, p99  from the read of an event to the reply",
            "          that tells of it, over the last 60 samples",
        ]
    }

    /// `1,234`, `12.3`, `0.05`.
    static func number(_ value: Double) -> String {
        guard value < 1e15 else { return "-" }
        if value >= 100 || value == 0 { return Readable.count(Int(value.rounded())) }
        let digits = value >= 10 ? 10.0 : 100
        let scaled = Int((value * digits).rounded())
        let whole = scaled / Int(digits)
        let rest = String(scaled % Int(digits))
        let width = digits == 10 ? 1 : 2
        return "\(whole)." + String(repeating: "0", count: width - rest.count) + rest
    }

    /// `12 µs`, `1.2 ms`, `3.4 s`.
    static func time(_ seconds: Double) -> String {
        if seconds >= 1 { return number(seconds) + " s" }
        if seconds >= 0.001 { return number(seconds * 1e3) + " ms" }
        return "\(Int((seconds * 1e6).rounded())) µs"
    }
}
