// The states that gatherd was told.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol

/// Keeps the states that gatherd was told in a session, and makes up the items of the next report. An item without a report has the base
/// state. gatherd keeps the item of a file that is about to be evicted, until another report of it.
struct ReportedStates {
    /// The things that a report has to tell.
    struct News {
        /// The items with other states than before.
        var items: [SyncItemMessage] = []
        /// The items that are repeated, since the clock of the report sets them to the base state.
        var repeated: [SyncItemMessage] = []
        /// The base state, if it is another one.
        var base: SyncStateMessage?
        var isEmpty: Bool { items.isEmpty && repeated.isEmpty && base == nil }
    }

    /// The number that gatherd gave the session.
    let session: Int64
    private var items: [String: ItemReport] = [:]
    private var base: SyncStateMessage?

    /// Makes the states of a session that has told none.
    init(session: Int64 = 0) { self.session = session }

    /// Takes the present states, and returns the things to be told. `changed` are the items that gatherd sets to the base state with the
    /// clock of this report. `isLeaving` says whether the eviction of a file is under way that is still here.
    mutating func take(
        _ states: [String: ItemReport], base new: SyncStateMessage, changed: Set<String>, isLeaving: (String) -> Bool
    ) -> News {
        let repeated = changed.filter { states[$0] != nil }
        // A report of a file that is about to be evicted would end gatherd's keeping of its item.
        let leaving = items.filter { $0.value.isLeaving && isLeaving($0.key) && !repeated.contains($0.key) }
        var news = News(base: new == base ? nil : new)
        news.items = states.filter {
            items[$0.key] != $0.value && !repeated.contains($0.key) && leaving[$0.key] == nil
        }.map { $0.value.message($0.key) }
        for path in items.keys where states[path] == nil && leaving[path] == nil {
            news.items.append(SyncItemMessage(path: path))
        }
        news.repeated = repeated.compactMap { path in states[path]?.message(path) }
        items = states.merging(leaving) { _, kept in kept }
        base = new
        return news
    }

    /// Notes a report of an item that is made by itself. The next one tells its state again.
    mutating func note(_ report: ItemReport, of path: String) { items[path] = report }

    /// Whether an item of a report may still be told. After the report was made up, its eviction may have begun.
    func mayReport(_ item: SyncItemMessage, isLeaving: (String) -> Bool) -> Bool {
        item.leaving == true || items[item.path]?.isLeaving != true || !isLeaving(item.path)
    }

    /// Returns the states that gatherd has not as they were told. `isItem` says whether gatherd has an item for a report.
    func differences(
        from present: [String: ItemReport], base presentBase: SyncStateMessage?, isItem: (String, ItemReport) -> Bool
    ) -> (base: SyncStateMessage?, items: [SyncItemMessage]) {
        var different = items.filter { path, report in present[path] != report && isItem(path, report) }
            .map { $0.value.message($0.key) }
        different += present.keys.filter { items[$0] == nil }.map { SyncItemMessage(path: $0) }
        // The next report tells of a file that is not about to be evicted any more.
        different.removeAll { items[$0.path]?.isLeaving == true }
        return (presentBase == base ? nil : base, different)
    }
}
