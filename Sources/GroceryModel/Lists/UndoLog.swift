// The last changes of this user on this machine, so that they can be undone.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// The last changes of this user on this machine to the lists of a container: a key-value store below `XDG_STATE_HOME`. A change that
/// cannot be recorded is made all the same, and cannot be undone.
struct UndoLog: Sendable {
    private let directory: String

    init(container: Container) {
        let state = StateDirectory.path ?? "/.local/state"
        // Two daemons may have containers of one name.
        let place = StableHash.text(of: container.data.utf8)
        let name = container.identifier.replacing("/", with: "_")
        directory = "\(state)/gather/grocery/\(name)-\(place)"
    }

    private func open() async throws -> KeyValueStore {
        let directory = directory
        // Where they cannot be made, opening the store says so.
        _ = try await FileSystem.run { FileSystem.makeFolders(directory[...]) }
        return try await KeyValueStore(directory: directory, followingThrough: nil)
    }

    private static func number(_ key: String) -> Int? { Int(key) }

    /// Records a change. It may be large.
    func record(_ action: String, _ steps: [UndoStep]) async throws {
        guard !steps.isEmpty else { return }
        let value: KeyValue = [
            "action": .string(String(action.prefix(200))), "steps": .array(steps.map(\.value)),
        ]
        do {
            let store = try await open()
            let numbers = store.dictionary.keys.compactMap(UndoLog.number).sorted()
            for number in numbers.dropLast(GroceryLimits.undoSteps - 1) {
                try store.removeValue(forKey: String(number))
            }
            if value.byteCount > GroceryLimits.undoBytes {
                // So that the next undo does not take an earlier change for this one.
                try store.set(["action": .string(String(action.prefix(200)))], forKey: String((numbers.last ?? 0) + 1))
            } else {
                var room = GroceryLimits.undoBytes * 2 - value.byteCount
                for number in numbers.reversed() {
                    room -= store.value(forKey: String(number))?.byteCount ?? 0
                    if room < 0 { try store.removeValue(forKey: String(number)) }
                }
                try store.set(value, forKey: String((numbers.last ?? 0) + 1))
            }
            try await store.close()
        } catch {
            // The change itself is saved. A read-only home directory is no reason to tell that it failed.
        }
    }

    /// Returns the last change; nil if there is none. One that was too large has no steps.
    func last() async throws -> (key: String, action: String, steps: [UndoStep]?)? {
        let store = try await open()
        defer { Task { try? await store.close() } }
        guard let number = store.dictionary.keys.compactMap(UndoLog.number).max(),
            case .dictionary(let fields)? = store.value(forKey: String(number)),
            case .string(let action)? = fields["action"]
        else { return nil }
        guard case .array(let steps)? = fields["steps"] else { return (String(number), action, nil) }
        return (String(number), action, steps.compactMap { UndoStep($0) })
    }

    /// Forgets a change.
    func forget(_ key: String) async throws {
        let store = try await open()
        try store.removeValue(forKey: key)
        try await store.close()
    }
}
