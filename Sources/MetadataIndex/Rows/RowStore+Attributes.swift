// Which combinations of owner, group, mode, device and access list rows use.
// SPDX-License-Identifier: Apache-2.0

extension RowStore {
    /// Which combinations live rows use, by number. Complexity: O(rows).
    func usedAttributes() -> [Bool] {
        var used = [Bool](repeating: false, count: common.count)
        for storage in blocks {
            let block = storage.block
            for word in 0..<Block.words {
                var bits = block.isLive[word]
                while bits != 0 {
                    used[Int(block.common[word << 6 | bits.trailingZeroBitCount])] = true
                    bits &= bits &- 1
                }
            }
            withExtendedLifetime(storage) {}
        }
        return used
    }
}
