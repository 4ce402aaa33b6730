// grocery watch: the list as it changes.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the list and keep it up to date, until Ctrl-C.",
        discussion: """
            A terminal shows the list, which redraws itself as items change, whoever changes them. A pipe gets the items \
            indented by two blanks, then a line for each change: + for a new item, ~ for one that changed (OLD -> NEW where \
            that is its name), - for one that is gone.

            EXAMPLES
              grocery watch
              grocery watch | tee groceries.log
            """)

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let list = try await options.list()
        let query = MetadataQuery(
            predicate: GroceryList.predicate, scopes: [list.scope], attributes: GroceryList.attributes,
            socket: list.container.client.socket)
        try await query.start()
        var view: any ListView = Output.isTerminal ? TerminalListView(title: list.container.identifier) : LineListView()
        for try await notification in query.notifications { view.show(notification) }
    }
}

/// What is known of the items of a live query: their names are in files, which are read as they change.
struct LiveItems {
    private(set) var items: [MetadataItem.ID: GroceryItem] = [:]

    /// Takes in an item; returns it as it was and as it is. An item whose file has gone meanwhile stays as it was: its
    /// removal is on the way.
    mutating func put(_ item: MetadataItem) -> (old: GroceryItem?, new: GroceryItem?) {
        let old = items[item.id]
        guard let new = GroceryItem(item) else { return (old, old) }
        items[item.id] = new
        return (old, new)
    }

    mutating func remove(_ id: MetadataItem.ID) -> GroceryItem? { items.removeValue(forKey: id) }

    mutating func removeAll() { items.removeAll() }
}

/// Shows a live list.
protocol ListView {
    mutating func show(_ notification: QueryNotification)
}

/// Lines for a pipe.
struct LineListView: ListView {
    private var items = LiveItems()

    mutating func show(_ notification: QueryNotification) {
        switch notification {
        case .started: items.removeAll()
        case .progress(let changes):
            Output.print(changes.added.compactMap { items.put($0).new }.sortedByName().map { "  " + $0.line })
        case .updated(let changes):
            var lines: [String] = []
            for removal in changes.removed {
                if let old = items.remove(removal.id) { lines.append("- " + old.line) }
            }
            for item in changes.changed {
                let (old, new) = items.put(item)
                guard let new else { continue }
                lines.append("~ " + (old.map { $0.line == new.line ? "" : $0.line + " -> " } ?? "") + new.line)
            }
            for item in changes.added {
                if let new = items.put(item).new { lines.append("+ " + new.line) }
            }
            Output.print(lines)
        case .reconnecting(let error): Output.note("\(error.message); waiting for it to come back")
        case .reconnected: Output.note("gatherd is back")
        case .gathered: break
        }
    }
}

/// The whole list on a terminal, redrawn in place.
struct TerminalListView: ListView {
    private let title: String
    private var items = LiveItems()
    private var remark: String?
    private var isGathered = false

    init(title: String) { self.title = title }

    mutating func show(_ notification: QueryNotification) {
        switch notification {
        case .started:
            items.removeAll()
            isGathered = false
        case .progress(let changes), .updated(let changes):
            for removal in changes.removed { _ = items.remove(removal.id) }
            for item in changes.changed + changes.added { _ = items.put(item) }
        case .gathered: isGathered = true
        case .reconnecting: remark = "gatherd is away; waiting for it to come back"
        case .reconnected: remark = nil
        }
        // Half a list would only flicker.
        if isGathered { draw() }
    }

    private func draw() {
        var size = winsize()
        let hasSize = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 4 && size.ws_col > 0
        let height = hasSize ? Int(size.ws_row) : 24
        let width = hasSize ? Int(size.ws_col) : 80
        var lines = items.items.values.map { $0 }.sortedByName().map { "  " + $0.line }
        let room = height - 3
        if lines.count > room {
            let hidden = lines.count - room + 1
            lines = lines.prefix(room - 1) + ["  … and \(hidden) more"]
        }
        // Home, each line cleared to its end, the rest of the screen cleared: nothing flickers.
        var screen = "\u{1B}[H\u{1B}[1m\(title)\u{1B}[0m  \(items.items.count) to get\u{1B}[K\n"
        if let remark { screen += "\u{1B}[33m\(remark)\u{1B}[0m" }
        screen += "\u{1B}[K\n"
        for line in lines { screen += line.prefix(width - 1) + "\u{1B}[K\n" }
        Output.write(screen + "\u{1B}[J")
    }
}
