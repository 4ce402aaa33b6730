// The state of the full-screen view: the list, the selection, and the owner of the keys.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

/// The whole state of the view, as a value. It takes keys and events, and gives requests and a grid of cells. It knows
/// neither a terminal nor a file.
struct ScreenModel: Sendable {
    /// Texts that the prompt remembers.
    static let longestHistory = 50

    let listName: String
    /// Whether the terminal shows more than ASCII.
    let isUnicode: Bool
    var settings: ListSettings
    var mode = ScreenMode.list
    var message: Message?

    /// Nil until the first answer has come.
    private(set) var items: [ItemIdentifier: GroceryItem]?
    /// Why the list is not live.
    var away: String?
    var filter = LineEditor()
    /// The items that match a predicate in the filter, by the last answer; nil for a filter of words.
    var matching: Set<ItemIdentifier>?
    /// The reason for which the predicate in the filter has no answer. The items of the last answer stay.
    var filterError: String?
    private(set) var rows: [ListRow] = []
    var selection: ItemIdentifier?
    /// The item that was selected until it was removed elsewhere. Nothing is selected meanwhile.
    var gone: GoneItem?
    /// The items that were removed here.
    var removed: Set<ItemIdentifier> = []
    /// The row of the selection, for the time when its item is gone.
    private var selectedRow = 0
    /// The first row that is shown.
    private(set) var firstRow = 0
    /// The selection before the filter was typed.
    var selectionBeforeFilter: ItemIdentifier?
    /// An item that becomes selected as soon as it is on the list.
    var awaited: ItemIdentifier?

    var details: ItemDetails?
    var detailsKey: DetailsKey?
    var detailsError: String?
    var detailsFirstLine = 0
    var helpFirstLine = 0
    var generation = 0

    /// Changes that are not made yet, by their number.
    var pending: [Int: ScreenWork] = [:]
    var lastNumber = 0
    /// Texts that could not be saved, and wait until the prompt is free.
    var unsaved: [Prompt] = []
    /// The prompts whose text is being saved.
    var submitted: [Int: Prompt] = [:]
    var history: [String] = []
    /// The last text whose item is on the list. Typed once more, it is added all the same.
    var repeated: String?
    var historyPlace: Int?
    var paste: Paste?
    /// The change that the next undo takes back, as the bottom line names it.
    var undoable: UndoableChange?

    private(set) var width = 80
    private(set) var height = 24
    private var requests: [ScreenRequest] = []

    init(listName: String, settings: ListSettings, isUnicode: Bool = true) {
        self.listName = listName
        self.isUnicode = isUnicode
        self.settings = settings
    }

    /// The requests since the last call.
    mutating func takeRequests() -> [ScreenRequest] {
        defer { requests = [] }
        return requests
    }

    mutating func request(_ request: ScreenRequest) { requests.append(request) }

    mutating func resize(width: Int, height: Int) {
        self.width = max(1, min(width, Grid.largest))
        self.height = max(1, min(height, Grid.largest))
        showSelection()
    }

    // MARK: Items

    mutating func setItems(_ new: [GroceryItem]) {
        let all = Dictionary(new.map { ($0.id, $0) }) { $1 }
        noteSelection(in: all)
        items = all
        askForMatches()
        arrange()
    }

    mutating func change(_ changed: [GroceryItem], removed: [ItemIdentifier]) {
        var all = items ?? [:]
        for id in removed { all[id] = nil }
        for item in changed { all[item.id] = item }
        noteSelection(in: all)
        items = all
        askForMatches()
        arrange()
    }

    /// Notes whether the selected item is gone from new items, and whether one is back.
    private mutating func noteSelection(in new: [ItemIdentifier: GroceryItem]) {
        removed = removed.filter { new[$0] == nil }
        if let id = gone?.item.id, new[id] != nil {
            gone = nil
            awaited = id
        }
        guard gone == nil, let selection, let item = items?[selection], new[selection] == nil,
            !removed.contains(selection)
        else { return }
        gone = GoneItem(item: item)
        request(.remover(selection))
    }

    /// Asks which items match, if the filter is a predicate.
    mutating func askForMatches() {
        if ItemFilter.isPredicate(filter.text) { request(.match(filter.text)) } else { matching = nil }
    }

    /// Makes the rows again. The selection stays on its item.
    mutating func arrange() {
        let filter = ItemFilter(filter.text, answer: matching)
        let intended = intendedState
        let shown = (items ?? [:]).values.filter(filter.matches).map { item in
            var item = item
            if let isBought = intended[item.id] { item.isBought = isBought }
            return item
        }
        rows = ListRow.rows(shown.sorted { $0.id < $1.id }.arranged(settings))
        if let awaited, let id = rows.lazy.compactMap(\.id).first(where: { $0 == awaited }) {
            self.awaited = nil
            selection = id
        }
        settle()
    }

    /// The list shows at once which items are bought, while that is being saved.
    var intendedState: [ItemIdentifier: Bool] {
        var states: [ItemIdentifier: Bool] = [:]
        for number in pending.keys.sorted() {
            if case .setBought(let id, let isBought) = pending[number] { states[id] = isBought }
        }
        return states
    }

    // MARK: Selection

    var selected: GroceryItem? {
        guard gone == nil, selectedRow < rows.count, case .item(let item) = rows[selectedRow] else { return nil }
        return item
    }

    var selectedIndex: Int { selectedRow }

    /// Finds the row of the selection: the same item, else the nearest row.
    private mutating func settle() {
        if let selection {
            if let row = rows.firstIndex(where: { $0.id == selection }) {
                select(row: row)
                return
            }
        }
        select(row: selectedRow)
    }

    /// Selects the item of a row, else the nearest one below it, else the nearest above.
    mutating func select(row: Int) {
        let row = max(0, min(row, rows.count - 1))
        let found =
            rows.indices.dropFirst(row).first { rows[$0].id != nil }
            ?? rows.indices.prefix(row).last { rows[$0].id != nil }
        selectedRow = found ?? 0
        selection = found.flatMap { rows[$0].id }
        if selection != detailsKey?.item.id { detailsFirstLine = 0 }
        showSelection()
    }

    /// Selects the item that is `count` items further down.
    mutating func move(_ count: Int) {
        awaited = nil
        var row = selectedRow
        var left = abs(count)
        while left > 0 {
            let next =
                count > 0
                ? rows.indices.dropFirst(row + 1).first { rows[$0].id != nil }
                : rows.indices.prefix(row).last { rows[$0].id != nil }
            guard let next else { break }
            row = next
            left -= 1
        }
        select(row: row)
    }

    private mutating func showSelection() {
        let room = max(1, layout.bodyHeight)
        // The heading above the first item is shown with it.
        let above = selectedRow == 1 && rows.first?.id == nil ? 0 : selectedRow
        firstRow = min(firstRow, above)
        firstRow = max(firstRow, selectedRow - room + 1)
        firstRow = max(0, min(firstRow, rows.count - room))
    }

    mutating func scroll(_ count: Int) {
        let room = max(1, layout.bodyHeight)
        firstRow = max(0, min(firstRow + count, rows.count - room))
        let visible = firstRow..<max(firstRow + 1, min(firstRow + room, rows.count))
        if !visible.contains(selectedRow) {
            let first = firstRow
            let nearest = visible.filter { rows.indices.contains($0) && rows[$0].id != nil }
            if let row = selectedRow < first ? nearest.first : nearest.last { select(row: row) }
        }
    }

    var layout: ScreenLayout { ScreenLayout(width: width, height: height) }

    func light(of item: GroceryItem) -> Light {
        if pending.values.contains(where: { $0.item == item.id }) { return .busy }
        return item.conflictVersions > 0 ? .inConflict : .normal
    }

    /// The state of the selected item, if its details have to be read.
    var wantedDetails: DetailsKey? {
        var id = selection
        if case .conflict(let picker) = mode { id = picker.item }
        guard let id, let item = items?[id] else { return nil }
        let key = DetailsKey(item: item, generation: generation)
        return key == detailsKey ? nil : key
    }
}
