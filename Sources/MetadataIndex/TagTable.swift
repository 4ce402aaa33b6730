// The tag lists of an index, each kept once.
// SPDX-License-Identifier: Apache-2.0

/// The tag lists of an index, each kept once and counted by the rows that have it, so that lists no longer in use go.
struct TagTable {
    /// The tags of the row were not read.
    static let unknown: UInt32 = 0
    /// The row has no tags.
    static let empty: UInt32 = 1

    private var numbers: [[String]: UInt32] = [:]
    private var counts: [UInt32] = [0, 0]
    private var free: [UInt32] = []

    init() {}

    /// The table of lists that so many rows have each; those that none has are let go.
    init(counts: [UInt32], in lists: inout [[String]]) {
        self.counts = counts
        for number in lists.indices where number > TagTable.empty {
            if counts[number] > 0 {
                numbers[lists[number]] = UInt32(truncatingIfNeeded: number)
            } else {
                lists[number] = []
                free.append(UInt32(truncatingIfNeeded: number))
            }
        }
    }

    /// The number of a list, counted once more. `lists` are the lists by number, which snapshots share.
    mutating func retain(_ tags: [String]?, in lists: inout [[String]]) -> UInt32 {
        guard let tags else { return TagTable.unknown }
        if tags.isEmpty { return TagTable.empty }
        if let number = numbers[tags] {
            counts[Int(number)] += 1
            return number
        }
        let number: UInt32
        if let last = free.popLast() {
            number = last
            lists[Int(number)] = tags
            counts[Int(number)] = 1
        } else {
            number = UInt32(lists.count)
            lists.append(tags)
            counts.append(1)
        }
        numbers[tags] = number
        return number
    }

    /// Counts a list once less.
    mutating func release(_ number: UInt32, in lists: inout [[String]]) {
        guard number > TagTable.empty else { return }
        counts[Int(number)] -= 1
        if counts[Int(number)] > 0 { return }
        numbers[lists[Int(number)]] = nil
        lists[Int(number)] = []
        free.append(number)
    }

    /// How many rows have each list; index 0 and 1 are not counted.
    var useCounts: [UInt32] { counts }
    /// Bytes held, roughly: the texts of the lists are not counted.
    var byteCount: Int { counts.capacity * 4 + free.capacity * 4 + numbers.capacity * 24 }
}
