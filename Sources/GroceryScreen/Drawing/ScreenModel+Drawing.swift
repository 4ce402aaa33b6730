// The screen of the present state.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

extension ScreenModel {
    func draw() -> Grid {
        var grid = Grid(width: width, height: height, isUnicode: isUnicode)
        if layout.hasTitle { drawTitle(&grid) }
        switch mode {
        case .help: grid.put(helpLines, from: helpFirstLine, lines: layout.body, columns: 0..<width)
        case .conflict(let picker):
            grid.put(conflictLines(picker), from: picker.firstLine, lines: layout.body, columns: 0..<width)
        case .details where !layout.isPair: drawDetails(&grid)
        default:
            drawList(&grid)
            if layout.isPair { drawDetails(&grid) }
        }
        if let line = layout.keyLine { drawKeys(&grid, line) }
        drawMessage(&grid)
        return grid
    }

    private func drawTitle(_ grid: inout Grid) {
        grid.clear(line: 0, columns: 0..<width, style: .reversed)
        let all = (items ?? [:]).values
        let bought = all.count { $0.isBought }
        let counts = items == nil ? "" : " \(all.count - bought) to buy, \(bought) bought "
        let countWidth = Glyphs.width(Glyphs.of(counts, isUnicode: isUnicode))
        let room = width - countWidth
        let name = " Grocery: \(listName)"
        if room > countWidth {
            grid.put(name, line: 0, column: 0, room: room, style: .reversed)
            grid.put(counts, line: 0, column: room, style: .reversed)
        } else {
            grid.put(name, line: 0, column: 0, style: .reversed)
        }
    }

    // MARK: List

    private func drawList(_ grid: inout Grid) {
        let columns = layout.list
        if layout.isPair {
            for line in layout.body {
                grid.put(isUnicode ? "\u{2502}" : "|", line: line, column: columns.upperBound, style: .dim)
            }
        }
        guard !rows.isEmpty else {
            let text =
                items == nil
                ? "Reading the list"
                : items?.isEmpty == true ? "The list is empty. Press a to add an item." : "No match"
            var lines = ScreenText(width: columns.count - 1, isUnicode: isUnicode)
            lines.add(text)
            grid.put(lines.lines, from: 0, lines: layout.body, columns: columns.lowerBound + 1..<columns.upperBound)
            return
        }
        for (line, index) in zip(layout.body, firstRow..<max(firstRow, rows.count)) {
            switch rows[index] {
            case .heading(let title):
                grid.put(title, line: line, column: 1, room: columns.count - 1, style: .heading)
            case .item(let item):
                draw(item, isSelected: index == selectedIndex && gone == nil, line: line, columns: columns, &grid)
            }
        }
    }

    private func draw(
        _ item: GroceryItem, isSelected: Bool, line: Int, columns: Range<Int>, _ grid: inout Grid
    ) {
        if isSelected { grid.clear(line: line, columns: columns, style: .reversed) }
        // A blank before the line between list and details.
        let end = columns.upperBound - (layout.isPair ? 1 : 0)
        func put(_ text: String, _ column: Int, _ style: CellStyle) -> Int {
            grid.put(text, line: line, column: column, room: end - column, style: style.reversed(isSelected))
        }
        let text: CellStyle = item.isBought ? .dim : .plain
        var column = put(isSelected ? ">" : " ", columns.lowerBound, .plain)
        let (sign, colour) = sign(of: light(of: item))
        column = put(sign, column, CellStyle(isBold: true, colour: colour))
        column = put(item.isBought ? " [x] " : " [ ] ", column, text)
        column = put(item.name, column, text)
        if !item.quantity.isEmpty, column < end { column = put(", \(item.quantity)", column, text) }
        if !item.tags.isEmpty, column < end {
            column = put("  ", column, .plain)
            column = put(item.tags.map { "#" + $0 }.joined(separator: " "), column, CellStyle(colour: .cyan))
        }
    }

    /// A light as a colour, and as a sign for terminals and persons without colours.
    func sign(of light: Light) -> (String, CellStyle.Colour) {
        switch light {
        case .normal: (isUnicode ? "\u{2022}" : "o", .green)
        case .busy: ("~", .yellow)
        case .inConflict: ("!", .red)
        }
    }

    private func drawDetails(_ grid: inout Grid) {
        grid.put(detailLines, from: detailsFirstLine, lines: layout.body, columns: layout.details)
    }

    // MARK: Lines at the bottom

    private var keys: [KeyHelp] {
        switch mode {
        case .list: KeyHelp.list
        case .filter: KeyHelp.filter
        case .prompt(let prompt):
            switch prompt.purpose {
            case .add: KeyHelp.add
            case .join: KeyHelp.join
            case .command: KeyHelp.command
            default: KeyHelp.prompt
            }
        case .details: KeyHelp.details
        case .conflict: KeyHelp.conflict
        case .help: KeyHelp.help
        case .quitting: [KeyHelp("q", "Quit at once")]
        }
    }

    private func drawKeys(_ grid: inout Grid, _ line: Int) {
        // Help and Quit have their place before the others.
        let keys = self.keys
        let pinned = keys.count > 4 ? keys.suffix(2) : []
        func needed(_ key: KeyHelp) -> Int { key.key.count + key.short.count + 3 }
        var room = width + 2 - pinned.reduce(0) { $0 + needed($1) }
        var shown: [KeyHelp] = []
        for key in keys.dropLast(pinned.count) {
            let key = naming(key, room: room - key.key.count - 3)
            guard needed(key) <= room else { break }
            room -= needed(key)
            shown.append(key)
        }
        if shown.isEmpty, pinned.isEmpty { shown = Array(keys.prefix(1)) }
        var column = 0
        for key in shown + pinned {
            column = grid.put(key.key, line: line, column: column, style: .bold)
            column = grid.put(" \(key.short)", line: line, column: column) + 2
        }
    }

    /// Names the change that an undo takes back, as far as there is room for it.
    private func naming(_ key: KeyHelp, room: Int) -> KeyHelp {
        guard key.short == KeyHelp.undo, let undoable else { return key }
        let (title, mark) = ("\(key.short): ", "...")
        let room = min(room - title.count, KeyHelp.longestAction)
        if undoable.action.count <= room { return KeyHelp(key.key, title + undoable.action) }
        return room > mark.count ? KeyHelp(key.key, title + undoable.action.prefix(room - mark.count) + mark) : key
    }

    private func drawMessage(_ grid: inout Grid) {
        let line = layout.messageLine
        // In a single line, the item has the place of a message.
        if !layout.hasMessage, case .list = mode, message == nil { return }
        grid.clear(line: line, columns: 0..<width)
        switch mode {
        case .prompt(let prompt):
            if let error = prompt.error, line > 0 {
                grid.clear(line: line - 1, columns: 0..<width)
                grid.put(error, line: line - 1, column: 0, style: .error)
            }
            draw(
                prompt.line, title: prompt.title + ": ", line: line,
                style: prompt.isProposal ? .reversed : .plain, &grid)
        case .filter:
            if let filterError, line > 0 {
                grid.clear(line: line - 1, columns: 0..<width)
                grid.put(filterError, line: line - 1, column: 0, style: .error)
            }
            draw(filter, title: "/", line: line, &grid)
        case .quitting: grid.put("Saving; the list closes then", line: line, column: 0, style: .notice)
        default:
            if let message {
                grid.put(message.text, line: line, column: 0, style: message.isError ? .error : .plain)
            } else if let gone {
                grid.put(gone.text, line: line, column: 0, style: .notice)
            } else if let away {
                grid.put("Not live: \(away)", line: line, column: 0, style: .notice)
            } else if let filterError {
                grid.put("Filter: \(filter.text) has no answer: \(filterError)", line: line, column: 0, style: .error)
            } else if !filter.isEmpty {
                grid.put("Filter: \(filter.text) (Esc shows all)", line: line, column: 0, style: .notice)
            }
        }
    }

    /// Draws a line that is edited. The part around the cursor is shown.
    private func draw(
        _ editor: LineEditor, title: String, line: Int, style: CellStyle = .plain, _ grid: inout Grid
    ) {
        let column = grid.put(title, line: line, column: 0, room: width / 2, style: .bold)
        let room = max(0, width - column - 1)
        var before = Glyphs.of(editor.before, isUnicode: isUnicode)[...]
        var beforeWidth = Glyphs.width(before)
        while beforeWidth > room, let first = before.first {
            beforeWidth -= first.width
            before = before.dropFirst()
        }
        let cursor = grid.put(Array(before), line: line, column: column, style: style)
        grid.put(editor.after, line: line, column: cursor)
        grid.cursor = CellPlace(column: min(cursor, width - 1), line: line)
    }
}
