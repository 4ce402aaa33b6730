// The allowance of access lists for the change log.
// SPDX-License-Identifier: Apache-2.0

/// The number of lists kept for each owner that only the change log names, for subscribers that resume. They count
/// against the owner's share, which is meant for present files. A quarter of it is enough for the change log.
package struct AccessListAllowance {
    package static let part = 4

    private var taken: [UInt32: (count: Int, bytes: Int)] = [:]

    package init() {}

    /// Takes one more list. Returns false if the allowance is used up.
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
