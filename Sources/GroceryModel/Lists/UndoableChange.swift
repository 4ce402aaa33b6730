// A change that can be taken back.
// SPDX-License-Identifier: Apache-2.0

/// A change that can be taken back, as its user is shown it beforehand.
package struct UndoableChange: Sendable, Hashable {
    /// The key in the log. It is another one for each change.
    package let key: String
    /// The name of the change, such as `add Bread`.
    package let action: String

    package init(key: String, action: String) {
        self.key = key
        self.action = action
    }
}
