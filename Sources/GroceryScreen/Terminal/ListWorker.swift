// The list behind the view: changes, details and events.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import GroceryModel
internal import Synchronization

/// Makes changes one after the other, and reads details beside them. Results go to the mailbox.
final class ListWorker: Sendable {
    private let list: GroceryList
    private let saveSettings: @Sendable (ListSettings) async throws -> Void
    private let mailbox: Mailbox
    private let changes: AsyncStream<(Int, ScreenWork, String)>.Continuation
    private let tasks = Mutex(Tasks())

    private struct Tasks {
        var changing: Task<Void, Never>?
        var following: Task<Void, Never>?
        var reading: Task<Void, Never>?
        var matching: Task<Void, Never>?
        var undoing: Task<Void, Never>?
    }

    init(
        list: GroceryList, mailbox: Mailbox, saveSettings: @escaping @Sendable (ListSettings) async throws -> Void
    ) {
        self.list = list
        self.mailbox = mailbox
        self.saveSettings = saveSettings
        let (stream, continuation) = AsyncStream.makeStream(of: (Int, ScreenWork, String).self)
        changes = continuation
        let task = Task { [self] in
            for await (number, work, name) in stream {
                let result = await result { try await make(work, name) }
                // First, so that an undo right after the change means it.
                await publishUndoable()
                mailbox.post(.finished(number, result))
            }
        }
        tasks.withLock { $0.changing = task }
    }

    /// Makes a change of an item that is called so: undoing it tells the name.
    func start(_ number: Int, _ work: ScreenWork, name: String) { changes.yield((number, work, name)) }

    /// Sends the events of the list from the beginning.
    func follow() {
        let task = Task { [self] in
            do {
                for try await event in list.events() {
                    mailbox.post(.list(event))
                    learnUndoable()
                }
                if !Task.isCancelled { mailbox.post(.ended("the list sends no more changes; R reads it again")) }
            } catch {
                if !Task.isCancelled { mailbox.post(.ended(ListWorker.failure(error).message)) }
            }
        }
        tasks.withLock {
            $0.following?.cancel()
            $0.following = task
        }
    }

    /// Tells what the next undo takes back. Another program of this user may have made the last change. An earlier question is
    /// given up.
    func learnUndoable() {
        let task = Task { [self] in await publishUndoable() }
        tasks.withLock {
            $0.undoing?.cancel()
            $0.undoing = task
        }
    }

    private func publishUndoable() async {
        guard !Task.isCancelled, let changes = try? await list.lastChanges() else { return }
        if !Task.isCancelled { mailbox.post(.undoable(changes.first)) }
    }

    /// Reads the details of an item. The details of another one are no longer needed.
    func read(_ key: DetailsKey) {
        let task = Task { [self] in
            let details = await result {
                let versions = key.item.conflictVersions > 0 ? try await list.versions(of: key.item.id) : []
                return ItemDetails(contents: try await list.contents(of: key.item.id), versions: versions)
            }
            if !Task.isCancelled { mailbox.post(.details(key, details)) }
        }
        tasks.withLock {
            $0.reading?.cancel()
            $0.reading = task
        }
    }

    /// Asks who removed an item.
    func findRemover(of id: ItemIdentifier) {
        Task { [self] in mailbox.post(.remover(id, await list.remover(of: id))) }
    }

    /// Asks which items match a predicate. An earlier question is given up.
    func match(_ predicate: String) {
        let task = Task { [self] in
            let found = await result { try await list.identifiers(matching: predicate) }
            if !Task.isCancelled { mailbox.post(.matched(predicate, found)) }
        }
        tasks.withLock {
            $0.matching?.cancel()
            $0.matching = task
        }
    }

    func stop() {
        changes.finish()
        tasks.withLock {
            $0.matching?.cancel()
            $0.undoing?.cancel()
            $0.following?.cancel()
            $0.reading?.cancel()
            $0.changing?.cancel()
        }
    }

    private func result<Value>(_ body: () async throws -> Value) async -> Result<Value, ScreenFailure> {
        do { return .success(try await body()) } catch { return .failure(ListWorker.failure(error)) }
    }

    static func failure(_ error: any Error) -> ScreenFailure {
        if let error = error as? GroceryError { return ScreenFailure(message: error.message) }
        if let error = error as? ScreenFailure { return error }
        if let error = error as? FileSystem.Failure {
            return ScreenFailure(message: "C" + error.description.dropFirst())
        }
        if let error = error as? GatherError { return ScreenFailure(message: error.message) }
        return ScreenFailure(message: "\(error)")
    }

    private func make(_ work: ScreenWork, _ name: String) async throws -> WorkOutcome {
        switch work {
        case .add(let text):
            var contents = try ItemContents(typed: text)
            // Tags have the spelling of those on the list.
            if !contents.tags.isEmpty { contents.tags = try await list.items().spelled(contents.tags) }
            return WorkOutcome(message: "Added \(contents.name)", added: try await list.add(contents))
        case .join(let twin, let quantity):
            var outcome = WorkOutcome(try await list.join(twin, quantity: quantity))
            if twin.item.isBought { outcome.append("\(twin.item.name) was bought, and is on the list again") }
            outcome.added = twin.item.id
            return outcome
        case .setBought(let id, let isBought):
            try await list.edit([id], (isBought ? "buy " : "unbuy ") + name) { $0.isBought = isBought }
        case .rename(let id, let seen, let new):
            var outcome = WorkOutcome(try await list.edit(id, \.name, seen: seen, to: new))
            let others = try? await list.items().filter { $0.id != id }
            if let twin = Twin(ItemContents(name: new), on: others ?? []) { outcome.append("\(twin.fact), too") }
            return outcome
        case .setQuantity(let id, let seen, let new):
            return WorkOutcome(try await list.edit(id, \.quantity, seen: seen, to: new))
        case .tag(let id, let tags):
            try await list.edit([id], "tag \(name)") { $0.tags = ($0.tags + tags).tagsWithoutRepetition }
        case .untag(let id, let tags):
            try await list.edit([id], "untag \(name)") { contents in
                if let missing = tags.first(where: { !contents.tags.hasTag($0) }) {
                    throw ScreenFailure(message: "\(name) has no tag #\(missing)")
                }
                contents.tags.removeAll(where: tags.hasTag)
            }
        case .remove(let id):
            try await list.remove([id])
            return WorkOutcome(message: "Removed \(name); u brings it back")
        case .bringBack(let id):
            guard try await list.bringBack(id) else { throw ScreenFailure(message: "The trash does not have \(name)") }
            return WorkOutcome(message: "\(name) is back", added: id)
        case .undo(let shown):
            guard let (name, leftOut) = try await list.undo(shown) else {
                return WorkOutcome(message: "There is nothing to undo")
            }
            let rest = leftOut.isEmpty ? "" : "; not undone: \(leftOut.joined(separator: "; "))"
            return WorkOutcome(message: "Undone: \(name)\(rest)")
        case .resolve(let id, let resolution):
            try await list.resolve(id, keeping: resolution)
            return WorkOutcome(message: "Resolved")
        case .openForEditing(let id): return WorkOutcome(opened: try await list.contents(of: id))
        case .save(let id, let text): return try await save(text, for: id)
        case .saveSettings(let settings): try await saveSettings(settings)
        case .reload: return WorkOutcome(items: try await list.items())
        }
        return WorkOutcome()
    }

    private func save(_ text: EditedText, for id: ItemIdentifier) async throws -> WorkOutcome {
        do {
            let contents = try ItemContents(edited: text.bytes, base: text.base)
            let outcome = try await list.put(contents, base: text.base, for: id)
            ExternalEditor.removeDraft(text.path)
            return WorkOutcome(outcome)
        } catch let error as GroceryError where error.code == .removed {
            let isKept = FileSystem.keepText(text.bytes, at: text.path)
            throw ScreenFailure(message: error.message + (isKept ? ". Your text is in \(text.path)" : ""))
        } catch {
            let isKept = FileSystem.keepText(text.bytes, at: text.path)
            throw ScreenFailure(
                message: ListWorker.failure(error).message + (isKept ? "; e opens the text again: \(text.path)" : ""))
        }
    }
}
