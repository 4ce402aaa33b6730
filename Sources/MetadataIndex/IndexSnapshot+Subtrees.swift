// How much lies below a directory.
// SPDX-License-Identifier: Apache-2.0

extension IndexSnapshot {
    /// How many rows lie below a live row, at most `limit`. Complexity: O(limit).
    package func descendantCount(of top: Row, atMost limit: Int) -> Int {
        var count = 0
        var row = rows.firstChild(top.number)
        while row != Row.none, count < limit {
            count += 1
            let child = rows.firstChild(row)
            if child != Row.none {
                row = child
                continue
            }
            while rows.next(row) == Row.none {
                row = rows.parent(row)
                if row == top.number { return count }
            }
            row = rows.next(row)
        }
        return count
    }
}
