// The last changes of this user on this machine, so that they can be undone.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import SaveFiles

/// The last changes of this user on this machine to the lists of a container: a key-value store below `XDG_STATE_HOME`. The changes of
/// the user's own programs are one log, and those of each browser another. A change that cannot be recorded is made all the same, and
/// cannot be undone.
struct UndoLog: Sendable {
    private let directory: String
    /// The browser whose changes these are; empty for the user's own programs.
    private let browser: String

    init(container: Container, browser: String = "") {
        let state = StateDirectory.path ?? "/.local/state"
        // Two daemons may have containers of one name.
        let place = StableHash.text(of: container.data.bytes)
        let name = container.identifier.rawValue.replacing("/", with: "_")
        directory = "\(state)/gather/grocery/\(name)-\(place)"
        self.browser = browser
    }

    private func open() async throws -> KeyValueStore {
        let directory = directory
        // Where they cannot be made, opening the store says so.
        _ = try await FileSystem.run { FileSystem.makeFolders(directory[...]) }
        return try await KeyValueStore(directory: FilePath(directory), followingThrough: nil)
    }

    /// Waits for the lock of all logs of this user. Programs that record or undo at once take turns.
    func lock() async -> ListLock {
        let parent = String(directory[..<(directory.lastIndex(of: "/") ?? directory.endIndex)])
        _ = try? await FileSystem.run { FileSystem.makeFolders(parent[...]) }
        return await ListLock.take(folder: parent)
    }

    // MARK: Keys

    /// The key of a change: a number that counts the changes of all, and the browser.
    private struct Key {
        let text: String
        let number: Int
        let browser: Substring

        init?(_ text: String) {
            let parts = text.split(separator: " ", maxSplits: 1)
            guard let first = parts.first, let number = Int(first) else { return nil }
            self.text = text
            self.number = number
            browser = parts.count == 2 ? parts[1] : ""
        }
    }

    /// The keys of all changes in their order.
    private static func keys(_ store: KeyValueStore) -> [Key] {
        store.dictionary.keys.compactMap { Key($0) }.sorted { $0.number < $1.number }
    }

    // MARK: Recording

    /// Returns whether changes with these steps can be recorded.
    static func holds(_ steps: [UndoStep]) -> Bool {
        KeyValue.array(steps.map(\.value)).byteCount + GroceryLimits.undoActionBytes <= GroceryLimits.undoBytes
    }

    /// Records a change. It may be large.
    func record(_ action: String, _ steps: [UndoStep]) async throws {
        guard !steps.isEmpty else { return }
        let action = KeyValue.string(String(action.prefix(GroceryLimits.undoActionBytes / 4)))
        let lock = await lock()
        defer { withExtendedLifetime(lock) {} }
        do {
            let store = try await open()
            let keys = UndoLog.keys(store)
            let own = keys.filter { $0.browser == browser }
            var old = own.dropLast(GroceryLimits.undoSteps - 1).map(\.text) + forgottenBrowsers(keys)
            let number = (keys.last?.number ?? 0) + 1
            let key = browser.isEmpty ? String(number) : "\(number) \(browser)"
            // Without its steps, a large change keeps the next undo from taking an earlier one for it.
            let value: KeyValue =
                UndoLog.holds(steps) ? ["action": action, "steps": .array(steps.map(\.value))] : ["action": action]
            var room = GroceryLimits.undoBytes * 2 - value.byteCount
            for key in own.reversed() {
                room -= store.value(forKey: key.text)?.byteCount ?? 0
                if room < 0 { old.append(key.text) }
            }
            for key in Set(old) { try store.removeValue(forKey: key) }
            try store.set(value, forKey: key)
            try await store.close()
        } catch {
            // The change itself is saved. A read-only home directory is no reason to tell that it failed.
        }
    }

    /// The keys of the browsers that have changed nothing for the longest time, beyond the limit.
    private func forgottenBrowsers(_ keys: [Key]) -> [String] {
        var known: Set<Substring> = ["", browser[...]]
        var old: [String] = []
        for key in keys.reversed() where !known.contains(key.browser) {
            if known.count > GroceryLimits.browsers { old.append(key.text) } else { known.insert(key.browser) }
        }
        return old
    }

    // MARK: Taking back

    /// A recorded change. One that was too large has no steps.
    typealias Change = (key: String, action: String, steps: [UndoStep]?)

    /// Returns the recorded changes in their order. Errors of the store are those of the log, here and below: no item is meant by them.
    func changes() async throws -> [Change] {
        try await withStore(saves: false) { [browser] store in
            UndoLog.keys(store).filter { $0.browser == browser }.compactMap { key in
                guard case .dictionary(let fields)? = store.value(forKey: key.text),
                    case .string(let action)? = fields["action"]
                else { return nil }
                guard case .array(let steps)? = fields["steps"] else { return (key.text, action, nil) }
                return (key.text, action, steps.compactMap { UndoStep($0) })
            }
        }
    }

    /// Keeps some steps of a change.
    func keep(_ steps: [UndoStep], of key: String, _ action: String) async throws {
        try await withStore(saves: true) {
            try $0.set(["action": .string(action), "steps": .array(steps.map(\.value))], forKey: key)
        }
    }

    /// Forgets a change.
    func forget(_ key: String) async throws {
        try await withStore(saves: true) { try $0.removeValue(forKey: key) }
    }

    private func withStore<Result>(saves: Bool, _ body: (KeyValueStore) throws -> Result) async throws -> Result {
        do {
            let store = try await open()
            let result = try body(store)
            if saves { try await store.close() } else { try? await store.close() }
            return result
        } catch let error as DocumentError {
            throw GroceryError(.undoLog, error.message)
        }
    }
}
