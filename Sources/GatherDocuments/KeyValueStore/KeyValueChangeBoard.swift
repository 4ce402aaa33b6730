// The changes that readers have not read yet.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The changes that each reader of a store has not read yet.
final class KeyValueChangeBoard: Sendable {
    /// Changes, one for each reason, in the order in which the reasons came.
    private struct Pending {
        var changes: [KeyValueChange] = []

        mutating func add(_ change: KeyValueChange) {
            if let index = changes.firstIndex(where: { $0.reason == change.reason }) {
                changes[index] = KeyValueChange(reason: change.reason, keys: changes[index].keys.union(change.keys))
            } else {
                changes.append(change)
            }
        }
    }

    private struct Reader {
        var pending: Pending
        var waiting: CheckedContinuation<Void, Never>?
    }

    private struct State {
        /// All changes since the beginning, for new readers.
        var history = Pending()
        var readers: [UInt64: Reader] = [:]
        var lastNumber: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    func post(_ change: KeyValueChange) {
        guard !change.keys.isEmpty else { return }
        wake { state in
            guard !state.isClosed else { return }
            state.history.add(change)
            for number in state.readers.keys { state.readers[number]?.pending.add(change) }
        }
    }

    /// Ends the sequences after the pending changes.
    func close() { wake { $0.isClosed = true } }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            return state.readers.keys.compactMap { state.readers[$0]?.waiting.take() }
        }
        for continuation in waiting { continuation.resume() }
    }

    func addReader() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.readers[state.lastNumber] = Reader(pending: state.history)
            return state.lastNumber
        }
    }

    func removeReader(_ number: UInt64) {
        let waiting = state.withLock { $0.readers.removeValue(forKey: number)?.waiting }
        waiting?.resume()
    }

    func next(for number: UInt64, isolation actor: isolated (any Actor)?) async -> KeyValueChange? {
        while !Task.isCancelled {
            let (change, isOver) = state.withLock { state -> (KeyValueChange?, Bool) in
                guard let reader = state.readers[number] else { return (nil, true) }
                guard !reader.pending.changes.isEmpty else { return (nil, state.isClosed) }
                return (state.readers[number]?.pending.changes.removeFirst(), false)
            }
            if let change { return change }
            if isOver { return nil }
            await wait(for: number, isolation: actor)
        }
        return nil
    }

    /// Waits for a change, the end, or cancellation. One task at a time waits for each reader.
    private func wait(for number: UInt64, isolation actor: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                let mustWait = state.withLock { state -> Bool in
                    guard let reader = state.readers[number], reader.pending.changes.isEmpty, reader.waiting == nil,
                        !state.isClosed, !Task.isCancelled
                    else { return false }
                    state.readers[number]?.waiting = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { $0.readers[number]?.waiting.take() }
            waiting?.resume()
        }
    }
}
