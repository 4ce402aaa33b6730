// The items of a subscriber: the replies of a Watch applied in their order, each held to what the interface promises.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import IdentityModel

/// The accumulated set of one live query, and the faults of the replies.
struct LiveSet {
    struct Held: Equatable {
        var row: Row
        var parent: String?
    }

    let question: Question
    /// Whether a change of nothing is a violation.
    private let idleChangesCount: Bool
    private(set) var items: [String: Held] = [:]
    /// The clock told last, and the set as it was then: where a connection is lost, this is what is resumed from.
    private(set) var clock: String?
    private var itemsAtClock: [String: Held] = [:]
    private(set) var violations: [String] = []
    /// Whether the first phase of this connection is over.
    private(set) var isLive = false
    private var hasStarted = false
    private var isResumed = false
    /// How often a clock was honoured, and how often not.
    private(set) var resumes = 0
    private(set) var freshStarts = 0

    init(_ question: Question, idleChangesCount: Bool = true) {
        self.question = question
        self.idleChangesCount = idleChangesCount
    }

    /// A new connection begins, with ``clock`` for `since`.
    mutating func reconnect() {
        items = itemsAtClock
        (isLive, hasStarted, isResumed) = (false, false, false)
    }

    /// Forgets everything: the next connection has no `since`.
    mutating func forget() {
        (items, itemsAtClock, clock) = ([:], [:], nil)
        (isLive, hasStarted, isResumed) = (false, false, false)
    }

    /// Applies one reply. True where it says that nothing is pending.
    @discardableResult
    mutating func apply(_ reply: [String: Any]) -> Bool {
        let event = reply["event"] as? String ?? ""
        let added = reply["added"] as? [[String: Any]] ?? []
        let changed = reply["changed"] as? [[String: Any]] ?? []
        let removed = reply["removed"] as? [[String: Any]] ?? []
        switch event {
        case "started":
            if hasStarted { violate("started twice") }
            hasStarted = true
            if reply["fresh"] as? Bool == true {
                freshStarts += 1
                if clock == nil { violate("fresh, with no clock given") }
                items = [:]
            } else if clock != nil {
                isResumed = true
                resumes += 1
            }
        case "progress":
            if isLive || !hasStarted { violate("progress out of its place") }
            if !isResumed, !changed.isEmpty || !removed.isEmpty { violate("first results that are changes") }
        case "gathered":
            if isLive || !hasStarted { violate("gathered out of its place") }
            isLive = true
        case "updated":
            if !isLive { violate("updated before gathered") }
            if added.isEmpty && changed.isEmpty && removed.isEmpty { violate("an update of nothing") }
        case "alive": break
        default: violate("an event called '\(event)'")
        }
        for item in added { add(item) }
        for item in changed { change(item) }
        for item in removed { remove(item) }
        guard let told = reply["clock"] as? String else { return false }
        if let count = reply["count"] as? Int, count != items.count {
            violate("\(event): count \(count), but \(items.count) are held")
        }
        clock = told
        itemsAtClock = items
        return event == "alive" && isLive
    }

    mutating func violate(_ text: String) { violations.append("\(question.name): \(text)") }

    private mutating func add(_ item: [String: Any]) {
        guard let (id, held) = read(item) else { return }
        if let old = items[id] { violate("added twice: \(id) as \(held.row), held as \(old.row)") }
        items[id] = held
    }

    private mutating func change(_ item: [String: Any]) {
        guard let (id, held) = read(item) else { return }
        guard let old = items.updateValue(held, forKey: id) else {
            return violate("changed, not held: \(id) \(held.row)")
        }
        let previous = item["previousPath"] as? String
        if question.namesOnly { return }
        if old.row.key != held.row.key {
            // The interface has no bytes of a former path.
            if let text = String(validating: old.row.key, as: UTF8.self), text != previous {
                violate(
                    "moved from \(text.debugDescription), told from \(previous.debugDescription): \(id) \(held.row)")
            }
        } else if previous != nil {
            violate("moved, but is where it was: \(id) \(held.row)")
        } else if idleChangesCount, old == held, question.attributes.contains("changed") {
            // The time of change tells even where everything else is as it was.
            violate("changed, but nothing of it did: \(id) \(held.row)")
        }
    }

    private mutating func remove(_ item: [String: Any]) {
        guard let id = item["id"] as? String else { return violate("a removal without an id") }
        if items.removeValue(forKey: id) == nil { violate("removed, not held: \(id) \(item["path"] ?? "")") }
    }

    /// An item that does not match is never told, not even to be taken back.
    private mutating func checkName(_ id: String, _ row: Row) {
        guard let admits = question.admits, let slash = row.key.lastIndex(of: UInt8(ascii: "/")) else { return }
        if !admits(Bytes(row.key[(slash + 1)...])) { violate("told of what it did not ask for: \(id) \(row)") }
    }

    private mutating func read(_ item: [String: Any]) -> (id: String, held: Held)? {
        guard let id = item["id"] as? String else {
            violate("an item without an id")
            return nil
        }
        let row = LiveSet.row(of: item, question)
        checkName(id, row)
        return (id, Held(row: row, parent: item["parent"] as? String))
    }

    static func row(of item: [String: Any], _ question: Question) -> Row {
        Row(key: bytes(item, question.namesOnly ? "name" : "path"), text: Entry.text(question.attributes, of: item))
    }

    private static func bytes(_ item: [String: Any], _ field: String) -> Bytes {
        let raw = field == "path" ? "rawPath" : "rawName"
        if let raw = item[raw] as? String { return Data(base64Encoded: raw).map { Bytes($0) } ?? [] }
        return Bytes(item[field] as? String ?? "")
    }

    /// The time of day of the clock, where the answer follows that.
    var moment: Int? { clock.flatMap { Clock($0) }?.moment }

    /// The difference between the set and the tree when it is quiet. One that follows the time of day is held to that of its clock.
    func difference(from walk: [Entry]) -> String? {
        guard question.lasts != nil else {
            return Row.difference(held: items.values.map(\.row).sorted(), expected: question.rows(walk))
        }
        guard let moment else { return "it follows the time of day, but its clock has none: \(clock ?? "none")" }
        return Row.difference(
            held: itemsAtClock.values.map(\.row).sorted(), expected: question.rows(walk, at: moment))
    }

    /// Items whose `parent` is not the item of the directory that their path names.
    func wrongParents(roots: [Bytes]) -> [String] {
        var ids: [Bytes: String] = [:]
        for (id, held) in items { ids[held.row.key] = id }
        return items.compactMap { id, held in
            guard let slash = held.row.key.lastIndex(of: UInt8(ascii: "/")) else { return "no path: \(id)" }
            let directory = Bytes(held.row.key[..<slash])
            if roots.contains(directory) { return held.parent == nil ? nil : "a parent at the top: \(held.row)" }
            return held.parent == ids[directory] ? nil : "another parent than its directory: \(held.row)"
        }
    }
}
