// grocery watch: the list as it changes.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import Glibc
internal import GroceryModel

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the list and keep it up to date, until Ctrl-C.",
        discussion: """
            A terminal shows the list and redraws it when any program changes an item. A pipe gets the items, indented by \
            two blanks. Then it gets a line for each change: + for a new item, ~ for a changed item, - for a removed item. \
            A new name is shown as OLD -> NEW.

            EXAMPLES
              grocery watch
              grocery watch | tee groceries.log
            """)

    @OptionGroup var options: ListOptions

    mutating func run() async throws {
        let (list, settings) = try await options.open()
        var view: any ListView =
            Output.isTerminal ? TerminalListView(title: list.name, settings: settings) : LineListView()
        for try await event in list.events() { view.show(event) }
    }
}

/// A view of a live list.
protocol ListView {
    mutating func show(_ event: ListEvent)
}

/// A view for a pipe: one line for each change.
struct LineListView: ListView {
    private var items: [ItemIdentifier: GroceryItem] = [:]
    private var isGathered = false

    private func text(_ item: GroceryItem) -> String {
        (item.isBought ? "x " : "") + item.line + (item.isInConflict ? "  (in conflict)" : "")
    }

    mutating func show(_ event: ListEvent) {
        switch event {
        case .items(let all):
            if isGathered {
                let present = Set(all.map(\.id))
                Output.note("the list is back")
                change(all.filter { items[$0.id] != $0 }, items.keys.filter { !present.contains($0) })
            } else {
                Output.print(all.sortedByName().map { "  " + text($0) })
                items = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
            }
            isGathered = true
        case .changed(let changed, let removed): change(changed, removed)
        case .away(let reason): Output.note("\(reason); waiting for it to come back")
        }
    }

    private mutating func change(_ changed: [GroceryItem], _ removed: [ItemIdentifier]) {
        var lines: [String] = []
        for id in removed { if let old = items.removeValue(forKey: id) { lines.append("- " + text(old)) } }
        for item in changed {
            if let old = items.updateValue(item, forKey: item.id) {
                lines.append("~ " + (text(old) == text(item) ? "" : text(old) + " -> ") + text(item))
            } else {
                lines.append("+ " + text(item))
            }
        }
        Output.print(lines)
    }
}

/// A view for a terminal: the whole list, redrawn in place.
struct TerminalListView: ListView {
    private let title: String
    private let settings: ListSettings
    private var items: [ItemIdentifier: GroceryItem] = [:]
    private var remark: String?

    init(title: String, settings: ListSettings) {
        self.title = title
        self.settings = settings
    }

    mutating func show(_ event: ListEvent) {
        switch event {
        case .items(let all):
            items = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
            remark = nil
        case .changed(let changed, let removed):
            for id in removed { items[id] = nil }
            for item in changed { items[item.id] = item }
        case .away(let reason): remark = "\(reason); waiting for it to come back"
        }
        draw()
    }

    private func draw() {
        var size = winsize()
        let hasSize = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 4 && size.ws_col > 0
        let height = hasSize ? Int(size.ws_row) : 24
        let width = hasSize ? Int(size.ws_col) : 80
        var lines = Array(items.values).arranged(settings).flatMap(\.items)
            .map { ($0.isInConflict ? "! " : $0.isBought ? "x " : "  ") + $0.line }
        let room = height - 3
        if lines.count > room {
            let hidden = lines.count - room + 1
            lines = lines.prefix(room - 1) + ["  … and \(hidden) more"]
        }
        // Clearing each line to its end, instead of the screen, avoids flicker.
        let open = items.values.count { !$0.isBought }
        var screen = "\u{1B}[H\u{1B}[1m\(DisplayText.escaped(title))\u{1B}[0m  \(open) to get\u{1B}[K\n"
        if let remark { screen += "\u{1B}[33m\(DisplayText.escaped(remark))\u{1B}[0m" }
        screen += "\u{1B}[K\n"
        for line in lines { screen += line.prefix(width - 1) + "\u{1B}[K\n" }
        Output.write(screen + "\u{1B}[J")
    }
}
