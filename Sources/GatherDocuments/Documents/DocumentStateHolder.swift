// The state of a document, for any thread.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The state of a document. The document owns it; the thread that waits for a lock writes to it, too.
final class DocumentStateHolder: Sendable {
    private let state = Mutex(DocumentState.closed)
    private let broadcast = Broadcast<DocumentState>()

    var value: DocumentState { state.withLock { $0 } }

    /// Inserts or removes a part, and tells the readers if that is a change.
    func set(_ part: DocumentState, _ isSet: Bool) { change { if isSet { $0.insert(part) } else { $0.remove(part) } } }

    func change(_ body: (inout DocumentState) -> Void) {
        // Sent under the lock, so that all readers get the states in their order.
        state.withLock { state in
            let before = state
            body(&state)
            if state != before { broadcast.send(state) }
        }
    }

    /// The present state and each later one.
    var states: AsyncStream<DocumentState> { state.withLock { broadcast.stream(first: $0) } }
}
