// A map from one scalar to several, in three arrays.
// SPDX-License-Identifier: Apache-2.0

/// Maps scalars to sequences of scalars, by sorted keys, the beginnings of the sequences, and the sequences.
struct ScalarTable {
    let keys: [UInt32]
    let starts: [UInt32]
    let values: [UInt32]

    /// The sequence of a scalar; nil where it maps to itself. Complexity: O(log n).
    func mapping(of scalar: UInt32) -> ArraySlice<UInt32>? {
        guard let index = keys.binarySearch(scalar) else { return nil }
        return values[Int(starts[index])..<Int(starts[index + 1])]
    }
}

extension Array where Element: Comparable {
    /// The index of an element of a sorted array.
    func binarySearch(_ element: Element) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == element ? low : nil
    }
}
