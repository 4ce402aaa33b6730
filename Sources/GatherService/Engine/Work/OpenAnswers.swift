// Answers that were made and wait for their readers: how long they may, and how much they may keep.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex
import NIOCore

/// The answers that are being taken, a reply at a time. Their memory is bounded for each user and in all. Past the
/// bound the oldest answers end, of the user who keeps most. On the event loop.
///
/// An answer keeps the blocks of its snapshots: those that the index has written to since are its own, and count, once
/// for a user however many answers have them. That is looked at with each answer that comes, so that blocks kept and
/// not counted are the index as it was then, at most.
final class OpenAnswers {
    private struct Entry {
        let stream: FindStream
        let user: UInt32
        let bytes: Int
        let snapshots: [(epoch: UInt64, snapshot: IndexSnapshot)]
    }

    private let limits: ServiceLimits
    /// In the order in which they were made.
    private var entries: [Entry] = []

    init(_ limits: ServiceLimits) { self.limits = limits }

    /// Takes an answer in of which the first reply was sent, and ends others, or this one, past a limit. `current` has the
    /// indexes as they are now, by their epochs.
    func add(
        _ stream: FindStream, of user: UInt32, bytes: Int, snapshots: [(epoch: UInt64, snapshot: IndexSnapshot)],
        current: [UInt64: IndexSnapshot]
    ) {
        entries.append(Entry(stream: stream, user: user, bytes: bytes, snapshots: snapshots))
        while kept(by: user, current) > limits.answerBytesPerUser, let first = entries.first(where: { $0.user == user })
        {
            end(first, "answerBytesPerUser", limits.answerBytesPerUser)
        }
        while true {
            let kept = Set(entries.map(\.user)).map { (user: $0, bytes: self.kept(by: $0, current)) }
            guard kept.reduce(0, { $0 + $1.bytes }) > limits.answerBytesInAll,
                let most = kept.max(by: { $0.bytes < $1.bytes }),
                let first = entries.first(where: { $0.user == most.user })
            else { return }
            end(first, "answerBytesInAll", limits.answerBytesInAll)
        }
    }

    /// An answer was taken, or its caller is gone.
    func remove(_ stream: FindStream) { entries.removeAll { $0.stream === stream } }

    private func kept(by user: UInt32, _ current: [UInt64: IndexSnapshot]) -> Int {
        var blocks = HeldBlocks()
        var bytes = 0
        for entry in entries where entry.user == user {
            bytes += entry.bytes
            for (epoch, snapshot) in entry.snapshots { blocks.add(snapshot, besides: current[epoch]) }
        }
        return bytes + blocks.bytes
    }

    private func end(_ entry: Entry, _ limit: String, _ value: Int) {
        remove(entry.stream)
        entry.stream.end(limit: limit, value: value)
    }
}
