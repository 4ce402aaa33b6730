// A directory of the model in which names change.
// SPDX-License-Identifier: Apache-2.0

/// A directory in which is churned: part of a container, or outside of all.
package struct Root: Sendable {
    package var path: Bytes
    /// Nil outside.
    package var container: String?

    package init(path: Bytes, container: String? = nil) {
        self.path = path
        self.container = container
    }
}
