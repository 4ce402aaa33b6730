// Keys of the list, of the details and of the help.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

extension ScreenModel {
    /// Items that the wheel moves by.
    private static let wheelStep = 3

    /// Does the action of a key in the present mode.
    mutating func press(_ key: Key) {
        if pressPasted(key) { return }
        if key == .control("l") {
            request(.redraw)
            return
        }
        switch mode {
        case .list: pressInList(key)
        case .filter: pressInFilter(key)
        case .prompt(let prompt): press(key, in: prompt)
        case .details: pressInDetails(key)
        case .conflict(let picker): press(key, in: picker)
        case .help: pressInHelp(key)
        case .quitting: if key == .character("q") { request(.quit) }
        }
        showUnsaved()
    }

    /// Text that is pasted is never taken for keys.
    private mutating func pressPasted(_ key: Key) -> Bool {
        switch (key, paste, mode) {
        case (.pasteBegin, _, .list):
            ask(.add, title: "Add")
            paste = .line
        case (.pasteBegin, _, .prompt(let prompt)): paste = prompt.purpose == .add ? .items : .line
        case (.pasteBegin, _, .filter): paste = .line
        case (.pasteBegin, _, _): paste = .ignored
        case (.pasteEnd, _, _): paste = nil
        case (_, .ignored, _): break
        case (.enter, .line, _), (.tab, .line, _), (.tab, .items, _): press(.character(" "))
        case (.character, .some, _), (.enter, .items, _): return false
        case (_, .some, _): break
        case (_, nil, _): return false
        }
        return true
    }

    private mutating func pressInList(_ key: Key) {
        message = nil
        if let gone, pressWithGone(key, gone) { return }
        switch key {
        case .up, .character("k"): move(-1)
        case .down, .character("j"): move(1)
        case .pageUp, .control("b"): move(-max(1, layout.bodyHeight - 1))
        case .pageDown, .control("f"): move(max(1, layout.bodyHeight - 1))
        case .home: move(-rows.count)
        case .end: move(rows.count)
        case .wheelUp: scroll(-ScreenModel.wheelStep)
        case .wheelDown: scroll(ScreenModel.wheelStep)
        case .click(let column, let line): click(column: column, line: line)
        case .enter, .right, .tab: if selected != nil { mode = .details }
        case .escape: clearFilter()
        case .help, .character("?"):
            helpFirstLine = 0
            mode = .help
        case .delete: remove()
        case .character(let scalar): command(scalar)
        default: break
        }
    }

    /// Does the action of a key while the item that was selected is gone. Returns false for a key that needs no item.
    private mutating func pressWithGone(_ key: Key, _ gone: GoneItem) -> Bool {
        switch key {
        case .character("u"):
            start(.bringBack(gone.item.id))
            return true
        case .character("d"), .character("e"), .character("r"), .character("n"), .character("t"), .character("T"),
            .character("c"), .character(" "), .character("b"), .delete:
            message = Message(text: gone.text, isError: true)
            return true
        case .help, .character("?"): return false
        case .enter, .right, .tab:
            mode = .details
            return true
        case .up, .down, .character("k"), .character("j"):
            // The selection is on the item that has come to its place.
            self.gone = nil
            select(row: selectedIndex)
            return true
        default:
            self.gone = nil
            return false
        }
    }

    private mutating func command(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "q": quit()
        case "a", "+": ask(.add, title: "Add")
        case "/":
            selectionBeforeFilter = selection
            mode = .filter
        case ":": ask(.command, title: "Command")
        case " ", "b": toggle()
        case "u":
            // If changes are being made, the last one is meant.
            start(.undo(pending.isEmpty ? undoable : nil))
        case "s": changeSorting()
        case "g":
            settings.isGrouped.toggle()
            saveSettings(settings.isGrouped ? "Grouped by tag" : "Not grouped")
        case "R":
            generation += 1
            request(.follow)
            request(.redraw)
            start(.reload)
        case "e", "d", "r", "n", "t", "T", "c":
            guard let item = selected else {
                message = Message(text: "No item is selected", isError: true)
                return
            }
            command(scalar, on: item)
        default: message = Message(text: "‘\(scalar)’ is no key of this list; ? shows the keys")
        }
    }

    private mutating func command(_ scalar: Unicode.Scalar, on item: GroceryItem) {
        switch scalar {
        case "e": start(.openForEditing(item.id))
        case "d": remove()
        case "r": ask(.rename(item.id), title: "Name", item.name)
        case "n": ask(.setQuantity(item.id), title: "Quantity", item.quantity)
        case "t": ask(.tag(item.id), title: "Add tags to \(item.name)")
        case "T":
            guard !item.tags.isEmpty else {
                message = Message(text: "\(item.name) has no tags")
                return
            }
            let tags = item.tags.map { "#" + $0 }.joined(separator: " ")
            ask(.untag(item.id), title: "Remove from \(item.name)", tags, isProposal: true)
        case "c":
            guard item.conflictVersions > 0 else {
                message = Message(text: "\(item.name) is not in conflict")
                return
            }
            var picker = ConflictPicker(item: item.id)
            if detailsKey?.item.id == item.id, let details { picker.take(details.versions) }
            mode = .conflict(picker)
            // The versions are read again, since those that are known may be older.
            generation += 1
        default: break
        }
    }

    /// Marks the selected item as bought or not. The selection goes on to the next item to buy.
    private mutating func toggle() {
        guard let item = selected else { return }
        if !item.isBought {
            let toBuy = { (row: ListRow) in if case .item(let item) = row { !item.isBought } else { false } }
            let next =
                rows.indices.dropFirst(selectedIndex + 1).first { toBuy(rows[$0]) && rows[$0].id != item.id }
                ?? rows.indices.prefix(selectedIndex).last { toBuy(rows[$0]) && rows[$0].id != item.id }
            if let next { select(row: next) }
        }
        awaited = nil
        start(.setBought(item.id, !item.isBought))
        arrange()
    }

    private mutating func remove() {
        guard let item = selected else { return }
        removed.insert(item.id)
        start(.remove(item.id))
    }

    private mutating func changeSorting() {
        let all = ListSettings.Sorting.allCases
        let index = all.firstIndex(of: settings.sorting) ?? 0
        settings.sorting = all[(index + 1) % all.count]
        saveSettings("Sorted by \(settings.sorting == .modified ? "time" : "\(settings.sorting)")")
    }

    private mutating func saveSettings(_ text: String) {
        message = Message(text: text)
        start(.saveSettings(settings))
        arrange()
    }

    private mutating func click(column: Int, line: Int) {
        guard layout.body.contains(line), layout.list.contains(column) else { return }
        let row = firstRow + line - layout.body.lowerBound
        if rows.indices.contains(row), rows[row].id != nil {
            awaited = nil
            select(row: row)
        }
    }

    /// Asks for a change, and returns its number.
    @discardableResult
    mutating func start(_ work: ScreenWork) -> Int {
        lastNumber += 1
        pending[lastNumber] = work
        request(.work(lastNumber, work))
        return lastNumber
    }

    private mutating func quit() {
        if pending.isEmpty { request(.quit) } else { mode = .quitting }
    }

    // MARK: Filter

    mutating func clearFilter() {
        guard !filter.isEmpty else { return }
        filter = LineEditor()
        (matching, filterError) = (nil, nil)
        if let selectionBeforeFilter, items?[selectionBeforeFilter] != nil { selection = selectionBeforeFilter }
        selectionBeforeFilter = nil
        arrange()
    }

    private mutating func pressInFilter(_ key: Key) {
        switch key {
        case .enter:
            selectionBeforeFilter = nil
            mode = .list
        case .escape, .control("g"):
            mode = .list
            clearFilter()
        case .up: moveInFilter(-1)
        case .down: moveInFilter(1)
        case .pageUp: moveInFilter(-layout.bodyHeight)
        case .pageDown: moveInFilter(layout.bodyHeight)
        case .backspace where filter.isEmpty: mode = .list
        default:
            if filter.press(key) {
                filterError = nil
                askForMatches()
                arrange()
            }
        }
    }

    private mutating func moveInFilter(_ count: Int) {
        selectionBeforeFilter = nil
        move(count)
    }

    // MARK: Details and help

    private mutating func pressInDetails(_ key: Key) {
        switch key {
        case .escape, .enter, .left, .tab, .control("g"):
            mode = .list
            gone = nil
        case .character("q"): quit()
        default:
            if let step = step(key, page: layout.bodyHeight) {
                let last = max(0, detailLines.count - layout.bodyHeight)
                detailsFirstLine = max(0, min(detailsFirstLine + step, last))
            } else if case .character = key {
                // The keys of the list work here too.
                mode = .list
                pressInList(key)
                if case .list = mode { mode = selected == nil && gone == nil ? .list : .details }
            }
        }
    }

    private mutating func pressInHelp(_ key: Key) {
        switch key {
        case .character("q"): quit()
        default:
            guard let step = step(key, page: layout.bodyHeight) else {
                mode = .list
                return
            }
            let last = max(0, helpLines.count - layout.bodyHeight)
            helpFirstLine = max(0, min(helpFirstLine + step, last))
        }
    }

    /// The lines that a key scrolls by.
    func step(_ key: Key, page: Int) -> Int? {
        switch key {
        case .up, .character("k"): -1
        case .down, .character("j"): 1
        case .wheelUp: -ScreenModel.wheelStep
        case .wheelDown: ScreenModel.wheelStep
        case .pageUp: -max(1, page - 1)
        case .pageDown, .character(" "): max(1, page - 1)
        case .home: -Grid.largest * Grid.largest
        case .end: Grid.largest * Grid.largest
        default: nil
        }
    }
}
