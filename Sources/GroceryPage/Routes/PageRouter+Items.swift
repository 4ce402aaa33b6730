// The routes that read and change items.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel
internal import NIOHTTP1
internal import Varlink

extension PageRouter {
    func items() async throws -> PageResponse {
        let items = try await list.items()
        return .json { writer in
            writer.beginObject()
            writer.field("list", list.name)
            writer.field("version", files.version)
            writer.key("items")
            writer.items(items)
            writer.endObject()
        }
    }

    func contents(of id: ItemIdentifier) async throws -> PageResponse {
        let contents = try await list.contents(of: id)
        return answer(id, contents, nil)
    }

    /// The contents of all items, so that the page can edit each of them without network. Items that are removed meanwhile, or
    /// cannot be read, are left out.
    func allContents() async throws -> PageResponse {
        let known: [ItemIdentifier]
        if let identifiers = events.identifiers {
            known = identifiers
        } else {
            known = try await list.items().map(\.id)
        }
        var all: [(ItemIdentifier, ItemContents)] = []
        for id in known.prefix(limits.allContents) {
            if let contents = try? await list.contents(of: id) { all.append((id, contents)) }
        }
        return .json { writer in
            writer.beginObject()
            writer.key("contents")
            writer.beginObject()
            for (id, contents) in all {
                writer.key(escaping: id.text)
                writer.contents(contents)
            }
            writer.endObject()
            writer.endObject()
        }
    }

    /// Adds an item under the identifier that the page made. An item that is there already stays as it is.
    func add(_ body: PageBody) async throws -> PageResponse {
        guard let mine = body.mine, let name = mine.name else { throw PageError.incomplete("mine.name") }
        guard let id = body.id.flatMap({ ItemIdentifier(text: $0) }) else { throw PageError.incomplete("id") }
        return try await changes.answer(body.change) {
            try await now(id)
        } make: { [list] in
            if let there = try await list.existing(id) { return answer(id, there, .unchanged) }
            let contents = mine.applied(to: ItemContents(name: name))
            _ = try await list.add(contents, as: id)
            return answer(id, contents, .saved, .created)
        }
    }

    /// Merges fields that were edited in the page with the item as it is now.
    func put(_ body: PageBody, for id: ItemIdentifier) async throws -> PageResponse {
        guard let mine = body.mine else { throw PageError.incomplete("mine") }
        let base = body.base ?? ContentsPart()
        return try await changes.answer(body.change) {
            try await now(id)
        } make: { [list] in
            let outcome: PutOutcome
            var current = try await list.existing(id)
            if current == nil, body.bringsBack, try await list.bringBack(id) { current = try await list.existing(id) }
            if let current {
                // Fields that the page did not send are equal in both, so that the merge takes them from the file.
                let former = base.applied(to: current)
                outcome = try await list.put(mine.applied(to: former), base: former, for: id)
            } else {
                // Removed meanwhile, which only a person can answer.
                guard let name = mine.name ?? base.name else { throw PageError.noSuchItem }
                let former = base.applied(to: ItemContents(name: name))
                outcome = try await list.put(mine.applied(to: former), base: body.bringsBack ? nil : former, for: id)
            }
            // Others may have removed it again by now.
            guard let contents = try await list.existing(id) else { return PageRouter.gone(id) }
            return answer(id, contents, outcome)
        }
    }

    /// Moves items to the trash. Items that are gone already are no error.
    func remove(_ body: PageBody) async throws -> PageResponse {
        guard let ids = body.ids else { throw PageError.incomplete("ids") }
        guard ids.count <= limits.removals else {
            throw PageError(.unprocessableEntity, "tooMany", "a removal has \(limits.removals) items at most")
        }
        let items = try ids.map { text in
            guard let id = ItemIdentifier(text: text) else { throw PageError.noSuchItem }
            return id
        }
        return try await changes.answer(body.change) {
            .json { $0.raw(JSONBytes.emptyObject) }
        } make: { [list] in
            var there: [ItemIdentifier] = []
            for id in items where try await list.existing(id) != nil { there.append(id) }
            if !there.isEmpty { try await list.remove(there) }
            return .json { writer in
                writer.beginObject()
                writer.field("removed", there.map(\.text))
                writer.endObject()
            }
        }
    }

    func undo(_ body: PageBody) async throws -> PageResponse {
        try await changes.answer(body.change) {
            .json { $0.raw(JSONBytes.emptyObject) }
        } make: { [list] in
            let undone = try await list.undo(body.undo)
            return .json { writer in
                writer.beginObject()
                writer.field("undone", undone?.action)
                writer.field("leftOut", undone?.leftOut ?? [])
                writer.endObject()
            }
        }
    }

    /// The change that an undo takes back, so that the page names it beforehand.
    func lastChange() async throws -> PageResponse {
        let last = try await list.lastChanges().first
        return .json { writer in
            writer.beginObject()
            writer.field("key", last?.key)
            writer.field("action", last?.action)
            writer.endObject()
        }
    }

    /// The answer to a change that was made before: the item as it is now, or nothing of it if it is gone.
    func now(_ id: ItemIdentifier) async throws -> PageResponse {
        if let contents = try await list.existing(id) { return answer(id, contents, .unchanged) }
        return PageRouter.gone(id)
    }

    /// The answer to a change of an item that is gone by now.
    private static func gone(_ id: ItemIdentifier) -> PageResponse {
        .json { writer in
            writer.beginObject()
            writer.field("id", id.text)
            writer.endObject()
        }
    }

    /// The answer to a change of one item: its contents afterwards.
    private func answer(
        _ id: ItemIdentifier, _ contents: ItemContents, _ outcome: PutOutcome?, _ status: HTTPResponseStatus = .ok
    ) -> PageResponse {
        .json(status) { writer in
            writer.beginObject()
            writer.field("id", id.text)
            if let outcome { writer.field("outcome", outcome.rawValue) }
            writer.key("contents")
            writer.contents(contents)
            writer.endObject()
        }
    }
}

extension PageError {
    static func incomplete(_ field: String) -> PageError {
        PageError(.badRequest, "incomplete", "the field '\(field)' is missing or not valid")
    }
}

extension PageList {
    /// Returns the contents of an item, or nil if there is no such item.
    func existing(_ id: ItemIdentifier) async throws -> ItemContents? {
        do {
            return try await contents(of: id)
        } catch {
            if PageError(error).status == .notFound { return nil }
            throw error
        }
    }
}
