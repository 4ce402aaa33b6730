// A handle for an access control list.
// SPDX-License-Identifier: Apache-2.0

/// A handle for an access control list: equal lists have equal handles. It means something within one process only; the
/// lists themselves are in `AccessLists`.
public struct AccessListID: Sendable, Hashable {
    /// The place in the table of lists, and how often it was given before: none is ever the number of another list.
    package let number: UInt64

    package init(number: UInt64) { self.number = number }

    /// No list: the permission bits are all there is.
    public static let none = AccessListID(number: 0)
    /// A list that could not be read or kept. It grants nothing, but to the owner what the permission bits do.
    public static let unknown = AccessListID(number: 1)

    /// Whether it stands for a list that has to be kept somewhere.
    package var isKept: Bool { number > AccessListID.unknown.number }
}
