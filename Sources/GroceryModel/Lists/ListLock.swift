// One change of a list at a time.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import Glibc

/// An advisory lock (flock(2)) on the container's directory, which Grocery's processes hold from loading an item to saving it. So they
/// merge nothing among themselves. Other programs do not take it; their changes are merged.
final class ListLock: Sendable {
    private let descriptor: CInt

    private init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// The longest wait in attempts, and the pause between two of them in nanoseconds. flock(2) has no time limit.
    private static let (attempts, pause) = (4_000, UInt64(2_500_000))

    /// Waits for the lock. After ten seconds, and on a file system without locks, the change is made without it.
    static func take(_ container: Container) async throws -> ListLock {
        let lock = ListLock(open(container.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        for _ in 0..<attempts {
            if lock.descriptor < 0 || flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { break }
            try await Task.sleep(nanoseconds: pause)
        }
        return lock
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
