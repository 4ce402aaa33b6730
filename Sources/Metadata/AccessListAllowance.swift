// How many access lists are kept for the past alone.
// SPDX-License-Identifier: Apache-2.0

/// How many access lists of each owner are kept that no file has any more, since those who come back are told what files had
/// (the log of changes). They count for the owner's share, which is for the files that they have now: a quarter of it is
/// enough for the past.
package struct AccessListAllowance {
    package static let part = 4

    private var taken: [UInt32: (count: Int, bytes: Int)] = [:]

    package init() {}

    /// Takes one more list; false where that is too much.
    mutating func take(_ size: Int, of owner: UInt32, share: (count: Int, bytes: Int)) -> Bool {
        var taken = taken[owner] ?? (0, 0)
        taken.count += 1
        taken.bytes += size
        let part = AccessListAllowance.part
        guard taken.count <= share.count / part, taken.bytes <= share.bytes / part else { return false }
        self.taken[owner] = taken
        return true
    }
}
