// Something that must not be.
// SPDX-License-Identifier: Apache-2.0

/// What was found to be wrong, for people.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
