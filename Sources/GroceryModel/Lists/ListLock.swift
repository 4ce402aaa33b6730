// One change of a list at a time.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// The advisory lock of the container's directory, which Grocery's processes hold from loading an item to saving it. So they merge
/// nothing among themselves. Other programs do not take it; their changes are merged.
final class ListLock: Sendable {
    private let lock: FolderLock?

    private init(_ lock: FolderLock?) { self.lock = lock }

    /// The longest wait in attempts, and the pause between two of them in nanoseconds. flock(2) has no time limit.
    private static let (attempts, pause) = (4_000, UInt64(2_500_000))

    /// Waits for the lock. After ten seconds, and on a file system without locks, the change is made without it.
    ///
    /// - Throws: ``GroceryError/Code/away`` if the container is away. A change must not be made in whatever is in its place.
    static func take(_ container: Container) async throws -> ListLock {
        try await container.requirePresent()
        return await take(folder: container.data.string)
    }

    /// Waits for the lock of a folder.
    static func take(folder: String) async -> ListLock {
        // A directory that cannot be opened has no lock. The change itself says why.
        guard let lock = try? FolderLock(folder) else { return ListLock(nil) }
        for _ in 0..<attempts {
            if (try? lock.attempt()) ?? true { break }
            try? await Task.sleep(nanoseconds: pause)
        }
        return ListLock(lock)
    }
}
