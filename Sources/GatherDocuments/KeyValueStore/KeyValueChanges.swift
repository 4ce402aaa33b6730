// The notifications of a key-value store as an asynchronous sequence.
// SPDX-License-Identifier: Apache-2.0

/// The changes of one ``KeyValueStore``.
///
/// Each iterator is a separate reader. It receives the changes since the store was opened, the earlier ones in condensed form. A
/// slow reader loses nothing and delays no other: its unread changes are merged, one for each reason. The sequence ends when
/// the store is closed or gone, or the reading task is cancelled.
public struct KeyValueChanges: AsyncSequence, Sendable {
    /// The element of the sequence.
    public typealias Element = KeyValueChange
    /// The sequence does not fail.
    public typealias Failure = Never

    let board: KeyValueChangeBoard

    /// Makes an iterator that starts with the first change.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: Reader(board)) }

    /// An iterator over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader

        /// Returns the next change; nil when the store is closed or the task cancelled.
        public mutating func next() async -> KeyValueChange? { await next(isolation: nil) }

        /// Returns the next change; nil when the store is closed or the task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> KeyValueChange? {
            await reader.board.next(for: reader.number, isolation: actor)
        }
    }

    /// The reader's place on the board.
    fileprivate final class Reader: Sendable {
        let board: KeyValueChangeBoard
        let number: UInt64

        init(_ board: KeyValueChangeBoard) {
            self.board = board
            number = board.addReader()
        }

        deinit { board.removeReader(number) }
    }
}
