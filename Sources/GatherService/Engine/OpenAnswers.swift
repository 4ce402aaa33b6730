// Answers that were made and wait for their readers: how long they may, and how much they may keep.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The answers that are being taken, a reply at a time. What they keep is bounded for each user and in all; past it those
/// end that were made first, of the user who keeps most. On the event loop.
final class OpenAnswers {
    private struct Entry {
        let stream: FindStream
        let user: UInt32
        let bytes: Int
    }

    private let limits: ServiceLimits
    /// In the order in which they were made.
    private var entries: [Entry] = []

    init(_ limits: ServiceLimits) { self.limits = limits }

    /// Takes an answer in of which the first reply was sent, and ends others, or this one, past a limit.
    func add(_ stream: FindStream, of user: UInt32, bytes: Int) {
        entries.append(Entry(stream: stream, user: user, bytes: bytes))
        while kept(by: user) > limits.answerBytesPerUser, let first = entries.first(where: { $0.user == user }) {
            end(first, "answerBytesPerUser", limits.answerBytesPerUser)
        }
        while entries.reduce(0, { $0 + $1.bytes }) > limits.answerBytesInAll,
            let most = Set(entries.map(\.user)).max(by: { kept(by: $0) < kept(by: $1) }),
            let first = entries.first(where: { $0.user == most })
        {
            end(first, "answerBytesInAll", limits.answerBytesInAll)
        }
    }

    /// An answer was taken, or its caller is gone.
    func remove(_ stream: FindStream) { entries.removeAll { $0.stream === stream } }

    private func kept(by user: UInt32) -> Int { entries.reduce(0) { $0 + ($1.user == user ? $1.bytes : 0) } }

    private func end(_ entry: Entry, _ limit: String, _ value: Int) {
        remove(entry.stream)
        entry.stream.end(limit: limit, value: value)
    }
}
