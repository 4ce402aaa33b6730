// How many items make a reply of the right size.
// SPDX-License-Identifier: Apache-2.0

/// How many items the next reply of a live query takes, so that it comes to about ``Limits/replyBytes``: untaken
/// replies are kept in memory, and paths may be 4 KiB long or ten bytes.
struct ReplySize {
    private(set) var items = 256

    /// Goes by the reply that was made last.
    mutating func note(items count: Int, bytes: Int) {
        guard count > 0 else { return }
        items = min(Limits.itemsPerReply, max(1, Limits.replyBytes / max(1, bytes / count)))
    }
}
