// A handle for an access control list.
// SPDX-License-Identifier: Apache-2.0

/// A handle for an access control list. Equal lists have equal handles. A handle is valid in one process only.
/// `AccessLists` has the lists.
public struct AccessListID: Sendable, Hashable {
    /// The place in the table, and how often it was used before. No number is given twice.
    package let number: UInt64

    package init(number: UInt64) { self.number = number }

    /// No list. Only the permission bits count.
    public static let none = AccessListID(number: 0)
    /// A list that could not be read or kept. It grants nothing, except to the owner, for whom the permission bits
    /// count.
    public static let unknown = AccessListID(number: 1)

    /// Whether it stands for a list in the table.
    package var isKept: Bool { number > AccessListID.unknown.number }
}
