// Something that must not be.
// SPDX-License-Identifier: Apache-2.0

/// A fault that a check found, in words for people.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
