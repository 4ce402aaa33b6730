// Reads replies from several tasks, one after the other.
// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Reads replies from several tasks, one after the other.
actor FeedReader {
    private var iterator: VarlinkReplies.Iterator

    init(_ replies: VarlinkReplies) { iterator = replies.makeAsyncIterator() }

    func next() async throws -> JSONBytes? {
        var iterator = iterator
        return try await iterator.next()
    }
}
