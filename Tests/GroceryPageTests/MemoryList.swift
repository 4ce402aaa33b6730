// A list in memory, for tests of the server alone.
// SPDX-License-Identifier: Apache-2.0

import GroceryModel
import GroceryPage
import Metadata
import Synchronization

/// A list in memory. It merges as the list of files does, and keeps conflict versions beside the items.
final class MemoryList: PageList {
    private struct Entry {
        var contents: ItemContents
        var picture: [UInt8]?
        var others: [PageVersion] = []
        var clock: Int64 = 0
    }
    private struct State {
        var entries: [ItemIdentifier: Entry] = [:]
        var clock: Int64 = 0
        var streams: [AsyncThrowingStream<ListEvent, any Error>.Continuation] = []
        var calls: [String] = []
        var browsers: Set<String> = []
    }
    /// The name of an item that is removed as soon as it was saved.
    static let fleeting = "Fleeting"
    private let state = Mutex(State())
    private let following = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    let name = "household"

    /// The changes that were asked for, in their order.
    var calls: [String] { state.withLock { $0.calls } }

    func items() async throws -> [GroceryItem] { state.withLock { MemoryList.items($0) } }

    func events() -> AsyncThrowingStream<ListEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ListEvent.self)
        state.withLock { state in
            continuation.yield(.items(MemoryList.items(state)))
            state.streams.append(continuation)
        }
        following.continuation.yield()
        return stream
    }

    /// Waits until the list is followed. An event that is sent before is lost.
    func waitForFollower() async { for await _ in following.stream { return } }

    /// Sends an event to all who follow the list.
    func send(_ event: ListEvent) {
        state.withLock { state in for stream in state.streams { stream.yield(event) } }
    }

    func contents(of id: ItemIdentifier) async throws -> ItemContents { try entry(id).contents }

    func add(_ contents: ItemContents, as id: ItemIdentifier?) async throws -> ItemIdentifier {
        let id = id ?? .random()
        change(id, "add \(contents.name)") { $0 = Entry(contents: contents) }
        return id
    }

    func put(_ mine: ItemContents, base: ItemContents?, for id: ItemIdentifier) async throws -> PutOutcome {
        if base != nil, (try? entry(id)) == nil {
            throw GroceryError(.removed, "\(base?.name ?? "") was removed meanwhile")
        }
        var outcome = PutOutcome.saved
        change(id, "put \(mine.name)") { entry in
            guard var there = entry, let base else {
                entry = Entry(contents: mine)
                return
            }
            let (merged, conflicts) = ItemContents.merge(base: base, mine: mine, theirs: there.contents)
            outcome = merged == there.contents ? .unchanged : there.contents == base ? .saved : .merged
            if !conflicts.isEmpty {
                outcome = .conflict
                there.others.append(
                    MemoryList.version(there.contents, "Item.sync-conflict-\(there.others.count)"))
            }
            there.contents = merged
            entry = there
        }
        // Somebody else is that fast.
        if mine.name == MemoryList.fleeting { try await remove([id]) }
        return outcome
    }

    func remove(_ ids: [ItemIdentifier]) async throws { for id in ids { change(id, "remove") { $0 = nil } } }

    /// Brings back an empty item: this list has no trash.
    func bringBack(_ id: ItemIdentifier) async throws -> Bool {
        change(id, "bring back") { $0 = $0 ?? Entry(contents: ItemContents(name: "Removed")) }
        return true
    }

    func lastChanges() async throws -> [UndoableChange] {
        state.withLock { state in
            state.calls.indices.reversed().map { UndoableChange(key: String($0), action: state.calls[$0]) }
        }
    }

    func undo(_ shown: UndoableChange?) async throws -> (action: String, leftOut: [String])? {
        guard let last = try await lastChanges().first else { return nil }
        guard shown == nil || shown == last else { throw GroceryError(.changed, "the last change is another one") }
        return (last.action, ["one step"])
    }

    func changed(by browser: String) -> MemoryList {
        _ = state.withLock { $0.browsers.insert(browser) }
        return self
    }

    /// The browsers that have asked for something.
    var browsers: Set<String> { state.withLock { $0.browsers } }

    func picture(of id: ItemIdentifier) async throws -> [UInt8]? { try entry(id).picture }

    func setPicture(_ bytes: [UInt8]?, of id: ItemIdentifier) async throws {
        _ = try entry(id)
        change(id, "picture") { entry in
            entry?.picture = bytes
            entry?.contents.picture = bytes.map { _ in "picture.jpg" }
        }
    }

    func pageVersions(of id: ItemIdentifier) async throws -> [PageVersion] {
        let entry = try entry(id)
        return [MemoryList.version(entry.contents, "Item", isCurrent: true)] + entry.others
    }

    func resolve(_ id: ItemIdentifier, by resolution: PageResolution) async throws {
        let others = try entry(id).others
        if case .both = resolution { for version in others { _ = try await add(version.contents, as: nil) } }
        var contents: ItemContents?
        switch resolution {
        case .version(let name):
            guard let version = others.first(where: { $0.name == name }) else {
                throw GroceryError(.changed, "this version is gone")
            }
            contents = version.contents
        case .merged(let merged): contents = merged
        case .both: break
        }
        change(id, "resolve") { entry in
            if let contents { entry?.contents = contents }
            entry?.others = []
        }
    }

    // MARK: The parts

    private static func version(_ contents: ItemContents, _ name: String, isCurrent: Bool = false) -> PageVersion {
        PageVersion(
            name: name, contents: contents, isCurrent: isCurrent, device: isCurrent ? "laptop" : "phone",
            modified: Timestamp(nanoseconds: 1_795_000_000_000_000_000))
    }

    private func entry(_ id: ItemIdentifier) throws -> Entry {
        guard let entry = state.withLock({ $0.entries[id] }) else {
            throw GroceryError(.notFound, "no such item")
        }
        return entry
    }

    private func change(_ id: ItemIdentifier, _ call: String, _ body: (inout Entry?) -> Void) {
        state.withLock { state in
            state.calls.append(call)
            body(&state.entries[id])
            state.clock += 1
            state.entries[id]?.clock = state.clock
            let event: ListEvent =
                if let entry = state.entries[id] {
                    .changed([MemoryList.item(id, entry)], removed: [])
                } else {
                    .changed([], removed: [id])
                }
            for stream in state.streams { stream.yield(event) }
        }
    }

    private static func items(_ state: State) -> [GroceryItem] { state.entries.map { item($0.key, $0.value) } }

    private static func item(_ id: ItemIdentifier, _ entry: Entry) -> GroceryItem {
        GroceryItem(
            id: id, path: "/list/" + id.fileName, summary: ItemSummary(entry.contents),
            modified: Timestamp(nanoseconds: 1_795_000_000_000_000_000 + entry.clock), owner: "ann",
            conflictVersions: entry.others.count)
    }
}
