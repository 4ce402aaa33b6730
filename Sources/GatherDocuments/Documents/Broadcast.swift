// Values for several readers.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Sends values to any number of asynchronous streams. Each reader gets each value from its beginning on.
final class Broadcast<Element: Sendable>: Sendable {
    private struct Readers {
        var continuations: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var next: UInt64 = 0
    }

    private let readers = Mutex(Readers())

    func send(_ element: Element) {
        readers.withLock { for continuation in $0.continuations.values { continuation.yield(element) } }
    }

    /// Makes a stream. `first` is its first element.
    func stream(first: Element? = nil) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream()
        if let first { continuation.yield(first) }
        let number = readers.withLock { readers in
            readers.next += 1
            readers.continuations[readers.next] = continuation
            return readers.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.readers.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    /// Ends all streams.
    func finish() {
        // A continuation that ends calls `onTermination`, which takes the lock.
        let continuations = readers.withLock { readers in
            defer { readers.continuations = [:] }
            return Array(readers.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }

    deinit { finish() }
}
