// How much lies below a directory.
// SPDX-License-Identifier: Apache-2.0

extension IndexSnapshot {
    /// How many rows lie below a live row, at most `limit`. Complexity: O(limit).
    package func descendantCount(of top: Row, atMost limit: Int) -> Int {
        rows.descendantCount(of: top.number, atMost: limit)
    }
}
